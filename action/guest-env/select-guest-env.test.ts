import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { selectGuestEnv, type GuestEnvRequest, type SelectedGuestEnv } from './select-guest-env.ts';

const machineEnv = {
  PATH: '/usr/bin',
  HOME: '/home/runner',
  LANG: 'C.UTF-8',
  JAVA_HOME: '/usr/lib/jvm/17',
  ImageOS: 'ubuntu24',
};
const files = '/home/runner/work/_temp/_runner_file_commands';
const runnerEnv = {
  ...machineEnv,
  CI: 'true',
  GITHUB_ACTIONS: 'true',
  GITHUB_SHA: 'abc123',
  GITHUB_REF: 'refs/heads/main',
  GITHUB_WORKSPACE: '/home/runner/work/repo/repo',
  GITHUB_ACTION_PATH: '/home/runner/work/_actions/x',
  GITHUB_EVENT_PATH: '/home/runner/work/_temp/_github_workflow/event.json',
  GITHUB_OUTPUT: `${files}/set_output_1`,
  GITHUB_ENV: `${files}/set_env_1`,
  GITHUB_PATH: `${files}/add_path_1`,
  GITHUB_STEP_SUMMARY: `${files}/step_summary_1`,
  GITHUB_STATE: `${files}/save_state_1`,
  GITHUB_NEW_COMMAND: `${files}/new_1`,
  RUNNER_OS: 'Linux',
  RUNNER_ARCH: 'X64',
  RUNNER_NAME: 'runner 1',
  RUNNER_TEMP: '/home/runner/work/_temp',
  RUNNER_TOOL_CACHE: '/opt/tools',
  RUNNER_TRACKING_ID: 'github_1',
  ACTIONS_RUNTIME_TOKEN: 'runtime-token',
  INPUT_RUN: 'make',
  STATE_x: '1',
  OFFSHOOT_SANDBOX: 'sbx_1',
};

function select(env: Record<string, string>, more: Partial<GuestEnvRequest> = {}): SelectedGuestEnv {
  return selectGuestEnv({
    requested: '',
    added: [],
    workspace: '/home/runner/work/repo/repo',
    pathEntries: [],
    env: { ...runnerEnv, ...env },
    machineEnv,
    ...more,
  });
}

test('a step without variables of its own has what every runner gives, with the folders of the guest', () => {
  const selected = select({});
  expect(selected.env('/steps/1')).toEqual({
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_SHA: 'abc123',
    GITHUB_REF: 'refs/heads/main',
    GITHUB_WORKSPACE: '/home/runner/work/repo/repo',
    GITHUB_OUTPUT: '/steps/1/output',
    GITHUB_ENV: '/steps/1/env',
    GITHUB_PATH: '/steps/1/path',
    GITHUB_STEP_SUMMARY: '/steps/1/summary',
    RUNNER_OS: 'Linux',
    RUNNER_ARCH: 'X64',
    RUNNER_NAME: 'runner 1',
    RUNNER_TEMP: '/var/tmp/runner-temp',
    RUNNER_TOOL_CACHE: '/opt/hostedtoolcache',
  });
  expect(selected).toMatchObject({ protectedValues: [], secrets: [], withheld: [] });
});

test("GITHUB_* that are none of GitHub's stay out, the machine's and others, unless they are named", () => {
  const machine = { ...machineEnv, GITHUB_APP_PRIVATE_KEY: 'key-of-the-runner', GITHUB_CREDENTIALS: 'x:y' };
  const env = { ...machine, GITHUB_MINE: 'of the workflow', GITHUB_ACTION_REF: 'v1', GITHUB_RUN_ID: '7' };
  for (const known of [machine, 'unreadable'] as const) {
    const guest = select(env, { machineEnv: known }).env('/s');
    expect(guest).toMatchObject({ GITHUB_ACTION_REF: 'v1', GITHUB_RUN_ID: '7', GITHUB_SHA: 'abc123' });
    for (const name of ['GITHUB_APP_PRIVATE_KEY', 'GITHUB_CREDENTIALS', 'GITHUB_MINE'])
      expect(guest).not.toHaveProperty(name);
  }
  expect(select(env, { requested: 'GITHUB_MINE' }).env('/s')).toHaveProperty('GITHUB_MINE', 'of the workflow');
});

test("the author's variables enter, also ones that the machine has with another value", () => {
  const author = {
    DEPLOY: 'yes',
    NODE_ENV: 'test',
    LANG: 'de_DE.UTF-8',
    EMPTY: '',
    CI: 'false',
    NPM_TOKEN: 'npm-secret',
  };
  const { env, protectedValues } = select(author);
  expect(env('/s')).toMatchObject(author);
  expect([...protectedValues].sort()).toEqual(['de_DE.UTF-8', 'npm-secret', 'test']);
});

test('what is about this process or the machine stays out, whoever set it', () => {
  const names = [
    'PATH',
    'HOME',
    'USER',
    'TMPDIR',
    'LD_PRELOAD',
    'LD_LIBRARY_PATH',
    'BASH_FUNC_x%%',
    'npm_lifecycle_event',
    'NODE_CHANNEL_FD',
  ];
  const set = Object.fromEntries(
    [...names, 'INPUT_ENV', 'STATE_y', 'ACTIONS_X', 'OFFSHOOT_TOKEN', 'RUNNER_TRACKING_ID'].map((name) => [
      name,
      'set',
    ]),
  );
  const guest = select(set).env('/s');
  expect(Object.keys(guest).filter((name) => name in set)).toEqual([]);
});

test('folders that setup actions made on the runner stay out', () => {
  expect(select({ pythonLocation: '/opt/tools/Python/3.13', OTHER: '/opt/toolshed' }).env('/s')).toMatchObject({
    OTHER: '/opt/toolshed',
  });
  expect(select({ pythonLocation: '/opt/tools/Python/3.13' }).env('/s')).not.toHaveProperty('pythonLocation');
});

test('when the machine can not be asked, what machines are known to have stays out', () => {
  const guest = select({ DEPLOY: 'yes' }, { machineEnv: 'unreadable' }).env('/s');
  expect(guest).toMatchObject({ DEPLOY: 'yes', GITHUB_SHA: 'abc123' });
  for (const name of Object.keys(machineEnv)) expect(guest).not.toHaveProperty(name);
});

test('tokens for GitHub enter only by name, whatever they are called, and are masked then', () => {
  const token = `ghs_${'a1B2'.repeat(9)}`;
  const tokens = {
    GITHUB_TOKEN: 'any-value',
    GH_TOKEN: token,
    HOMEBREW_API: `x-access-token:${token}`,
    MY_PAT: `github_pat_${'a1'.repeat(20)}`,
  };
  const without = select(tokens);
  expect(Object.keys(without.env('/s')).filter((name) => name in tokens)).toEqual([]);
  expect(without.withheld.sort()).toEqual(Object.keys(tokens).sort());
  expect(JSON.stringify(without.protectedValues)).not.toContain(token);

  const named = select(tokens, { requested: 'GITHUB_TOKEN\nHOMEBREW_API' });
  expect(named.env('/s')).toMatchObject({ GITHUB_TOKEN: 'any-value', HOMEBREW_API: tokens.HOMEBREW_API });
  expect(named.withheld.sort()).toEqual(['GH_TOKEN', 'MY_PAT']);
  expect(named.secrets).toEqual(['any-value', tokens.HOMEBREW_API]);
  expect(named.protectedValues).toEqual(expect.arrayContaining(named.secrets));
});

test('only what looks like a secret is masked, and no short word', () => {
  const { secrets, protectedValues } = select(
    {},
    { requested: 'MODE=production\nDB_PASSWORD=hunter22\nUSE_TOKEN=true\nAPI_KEY=abcdef' },
  );
  expect(secrets).toEqual(['hunter22', 'abcdef']);
  expect(protectedValues).toEqual(['production', 'hunter22', 'true', 'abcdef']);
});

test('values of several lines are protected line by line', () => {
  const key = '-----BEGIN KEY-----\r\n  abcdef\nxy\n-----END KEY-----\n';
  expect(select({ KEY: key }).protectedValues).toEqual(['-----BEGIN KEY-----', 'abcdef', '-----END KEY-----']);
  expect(select({ KEY: key }).env('/s')['KEY']).toBe(key);
});

test('the env input wins over the step, the step over what the sandbox set, that over the context', () => {
  const added = [
    { name: 'A', value: 'old' },
    { name: 'A', value: 'added' },
    { name: 'B', value: 'added' },
    { name: 'C', value: 'added' },
    { name: 'LD_PRELOAD', value: '/lib/x.so' },
  ];
  const { env } = select({ B: 'step', C: 'step' }, { added, requested: 'C=input\nHOME=/root\nGITHUB_SHA=mine' });
  expect(env('/s')).toMatchObject({
    A: 'added',
    B: 'step',
    C: 'input',
    LD_PRELOAD: '/lib/x.so',
    HOME: '/root',
    GITHUB_SHA: 'mine',
  });
});

test('a name that is not set in the step is an error that names line and variable', () => {
  expect(() => select({}, { requested: 'A=1\n\nMISSING' })).toThrow(
    expect.objectContaining({
      code: 'action-input',
      message: expect.stringContaining('line 3 asks for MISSING') as string,
    }) as Error,
  );
});

test('PATH: the newest folder first, each once, before the default of the guest or the PATH that was given', () => {
  const pathEntries = ['/opt/a', '/opt/b', '/opt/a'];
  const standard = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  const pathWith = (more: Partial<GuestEnvRequest>): string | undefined => select({}, more).env('/s')['PATH'];
  expect(pathWith({})).toBeUndefined();
  expect(pathWith({ pathEntries })).toBe(`/opt/a:/opt/b:${standard}`);
  expect(pathWith({ pathEntries, defaultPath: '/bin' })).toBe('/opt/a:/opt/b:/bin');
  expect(pathWith({ pathEntries, requested: 'PATH=/mine' })).toBe('/opt/a:/opt/b:/mine');
  expect(pathWith({ added: [{ name: 'PATH', value: '/set' }] })).toBe('/set');
});

test('the event is named only where the guest has it', () => {
  expect(select({}).env('/s')).not.toHaveProperty('GITHUB_EVENT_PATH');
  expect(select({}, { guestEventPath: '/run/event.json' }).env('/s')['GITHUB_EVENT_PATH']).toBe('/run/event.json');
});

test('a value that Linux can not take is an error that names the variable and what to do', () => {
  const fits = 'x'.repeat(131_071 - 'BIG='.length);
  expect(select({ BIG: fits }).env('/s')['BIG']).toBe(fits);
  expect(() => select({ BIG: `${fits}x` })).toThrow(/BIG is 131072 bytes.*131071.*file/);
});

test('without being told, it asks the process that started this one', () => {
  const program = `
    import { selectGuestEnv } from ${JSON.stringify(path.join(import.meta.dirname, 'select-guest-env.ts'))};
    const selected = selectGuestEnv({ requested: '', added: [], workspace: '/w', pathEntries: [] });
    process.stdout.write(JSON.stringify(selected.env('/s')));`;
  // the shell stands for the runner: it was started with the machine's variables and gives the step one more
  const printed = execFileSync(
    '/bin/sh',
    ['-c', 'OF_THE_STEP=1 "$0" --input-type=module -e "$1"; exit $?', process.execPath, program],
    { env: { ...process.env, OF_THE_MACHINE: '1' }, encoding: 'utf8' },
  );
  const guest = JSON.parse(printed) as Record<string, string>;
  expect([guest['OF_THE_STEP'], guest['OF_THE_MACHINE']]).toEqual(['1', undefined]);
});
