import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseRules } from '../../net/egress/policy/parse-rules.ts';
import type { RunOptions, Runner, RunResult } from '../../platform/run.ts';
import { expandAutoRules, type AutoRuleOptions } from './auto-rules.ts';

type Answer = string | { code: number; stderr?: string } | Error;
interface Call {
  line: string;
  options: RunOptions | undefined;
}

/** Answers by the command line; a program that is not in the table is not installed. */
function tools(answers: Readonly<Record<string, Answer>>): { runner: Runner; calls: Call[] } {
  const calls: Call[] = [];
  const run = (command: string, args: readonly string[], options?: RunOptions): Promise<RunResult> => {
    const line = [command, ...args].join(' ');
    calls.push({ line, options });
    const answer = answers[line] ?? (line === npmShown && npm in answers ? '' : undefined);
    if (answer === undefined)
      return Promise.reject(Object.assign(new Error(`spawn ${command} ENOENT`), { code: 'ENOENT' }));
    if (answer instanceof Error) return Promise.reject(answer);
    const { code = 0, stderr = '' } = typeof answer === 'string' ? {} : answer;
    return Promise.resolve({ code, signal: null, stdout: typeof answer === 'string' ? answer : '', stderr });
  };
  return { runner: { run }, calls };
}

const npm = 'npm config list --json';
const npmShown = 'npm config list';
const pip = 'pip config list';
const pipHelp = 'pip install --help';
const apt = 'apt-get indextargets --no-release-info --format $(SITE)';
const resolve = (name: string) =>
  name.endsWith('.corp.example')
    ? Promise.resolve(['10.1.2.3'])
    : name.startsWith('nowhere')
      ? Promise.reject(new Error('ENOTFOUND'))
      : Promise.resolve(['192.0.2.1', '2001:db8::1']);

async function expand(
  allow: string | readonly string[],
  answers: Readonly<Record<string, Answer>>,
  options: AutoRuleOptions = {},
) {
  const rules = await expandAutoRules(allow, { runner: tools(answers).runner, resolve, ...options });
  parseRules(rules); // whatever is filled in is what hostd takes
  return rules;
}

describe('auto:npm', () => {
  it('is the registries of npm, scopes included, and nothing else of its configuration', async () => {
    const config = {
      registry: 'https://user:secret@npm.example/some/path/',
      '@team:registry': 'https://npm.corp.example:8443/',
      '@old:registry': 'http://old.example:4873/',
      '@plain:registry': 'http://plain.example/',
      '@direct:registry': 'https://192.0.2.7:8443/',
      '@six:registry': 'http://[2001:db8::5]:4873/',
      '@lost:registry': 'https://nowhere.example/',
      proxy: 'http://proxy.example:3128/',
      'https-proxy': 'http://proxy.example:3128/',
      '//npm.example/:_authToken': 'secret',
      'init-module': 'https://no.example/',
      'metrics-registry': 'https://no.example/',
    };
    expect(await expand('auto:npm', { [npm]: JSON.stringify(config) })).toEqual([
      '192.0.2.7:8443',
      '[2001:db8::5]:4873',
      'http:old.example:4873',
      'nowhere.example:443',
      'npm.example:443',
      'plain.example:80',
      'tls:npm.corp.example:8443 private',
    ]);
  });

  it('has the registries that npm leaves out of its JSON, as their URLs have passwords', async () => {
    const shown = `; "user" config from /root/.npmrc

; @team:registry = "https://old:***@old.example/" ; overridden by project

; "project" config from /project/.npmrc

@team:registry = "https://ci:***@team.example:8443/npm/"
registry = "https://ci:***@npm.example/"
metrics-registry = "https://ci:***@no.example/"
init-version = 1
`;
    const rules = await expand('auto:npm', {
      [npm]: '{"@plain:registry":"https://plain.example/"}',
      [npmShown]: shown,
    });
    expect(rules).toEqual(['npm.example:443', 'plain.example:443', 'tls:team.example:8443']);
  });

  it('is asked in the folder and environment of the caller', async () => {
    const { runner, calls } = tools({ [npm]: '{"registry":"https://npm.example/"}' });
    await expandAutoRules('auto:npm', { runner, resolve, cwd: '/project', env: { A: 'b' } });
    const options = { cwd: '/project', env: { A: 'b' }, timeoutMs: 20_000 };
    expect(calls).toMatchObject([
      { line: npm, options },
      { line: npmShown, options },
    ]);
  });

  it('refuses a registry on this machine, which is another one for a sandbox', async () => {
    for (const registry of [
      'http://localhost:4873/',
      'http://127.0.0.1:4873',
      'http://[::1]:4873/',
      'http://a.localhost/',
    ]) {
      await expect(expand('auto:npm', { [npm]: JSON.stringify({ registry }) })).rejects.toMatchObject({
        code: 'egress-auto-failed',
        message: expect.stringContaining('another machine inside a sandbox') as string,
      });
    }
  });

  it.each([
    ['is not installed', {}, /not installed/],
    ['fails', { [npm]: { code: 1, stderr: 'bad token hunter2' } }, /npm config list --json ended with exit code 1$/],
    [
      'takes too long',
      { [npm]: new Error('npm did not end within 20000 ms') },
      /npm config list --json gave no answer: npm did not end within 20000 ms$/,
    ],
    ['gives no JSON', { [npm]: 'npm warn' }, /no JSON/],
    ['names no host', { [npm]: '{"registry":"file:///srv/npm"}' }, /no host/],
  ])('says so when npm %s', async (_, answers: Record<string, Answer>, why) => {
    await expect(expand('auto:npm', answers)).rejects.toMatchObject({
      code: 'egress-auto-failed',
      message: expect.stringMatching(why) as string,
      details: { tool: 'npm' },
    });
  });
});

describe('auto:pip', () => {
  it('is the indexes and links that pip install goes by', async () => {
    const config = [
      "global.index-url='https://old.example/simple'",
      "install.index_url='https://u:p%40@new.example/simple'",
      "download.index-url='https://other.example/simple'",
      "global.extra-index-url='\\nhttps://x.example/s\\nhttp://y.example:8080/s'",
      "global.find-links='/opt/wheels https://links.example/x'",
      "global.trusted-host='no.example'",
      "global.proxy='http://proxy.example:3128'",
      '',
    ].join('\n');
    expect(await expand('auto:pip', { [pip]: config })).toEqual([
      'http:y.example:8080',
      'links.example:443',
      'new.example:443',
      'x.example:443',
    ]);
  });

  it('the environment wins', async () => {
    const config = ":env:.index-url='https://env.example/simple'\nglobal.index-url='https://file.example/simple'\n";
    expect(await expand('auto:pip', { [pip]: config })).toEqual(['env.example:443']);
  });

  it("is pip's own default, as its help tells, when no index is configured", async () => {
    const help = `  -i, --index-url <url>       Base URL of the Python Package Index (default\n            https://default.example/simple). This should\n  --extra-index-url <url> Extra`;
    const { runner, calls } = tools({ [pip]: "global.find-links='/opt/wheels'", [pipHelp]: help });
    expect(await expandAutoRules('auto:pip', { runner, resolve, env: { A: 'b' } })).toEqual(['default.example:443']);
    expect(calls[1]?.options?.env).toEqual({ A: 'b', COLUMNS: '4000' });
  });

  it('has no index where pip is told so', async () => {
    const config =
      "global.no-index='true'\nglobal.index-url='https://a.example/simple'\nglobal.find-links='https://links.example/x'\n";
    expect(await expand('auto:pip', { [pip]: config })).toEqual(['links.example:443']);
    await expect(expand('auto:pip', { [pip]: "global.no-index='1'" })).rejects.toMatchObject({
      code: 'egress-auto-failed',
    });
  });

  it('asks pip under each of its names', async () => {
    const config = "global.index-url='https://a.example/simple'";
    expect(await expand('auto:pip', { 'pip3 config list': config })).toEqual(['a.example:443']);
    expect(await expand('auto:pip', { 'python3 -m pip config list': config })).toEqual(['a.example:443']);
    expect(await expand('auto:pip', { [pip]: { code: 1 }, 'pip3 config list': config })).toEqual(['a.example:443']);
  });
});

describe('auto:apt', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'offshoot-apt-'));
  });
  afterEach(async () => {
    await rm(directory, { recursive: true });
  });

  it('is the sites that apt lists', async () => {
    const sites =
      'http://deb.example/debian\nhttp://deb.example/debian\nhttps://u:p@sec.corp.example:8443/debian\nfile:/srv/repo\ncdrom:[x]/\nmirror+https://m.example/list\nmirror://n.example/list\ntor+http://t.example/debian\n';
    expect(await expand('auto:apt', { [apt]: sites })).toEqual([
      'deb.example:80',
      'm.example:443',
      'n.example:80',
      't.example:80',
      'tls:sec.corp.example:8443 private',
    ]);
  });

  it('is the mirrors of a list in a file', async () => {
    const list = path.join(directory, 'mirrors.txt');
    await writeFile(
      list,
      '#http://off.example/\n# http://off.example/\nhttp://near.example/ubuntu/\tpriority:1\n\nhttps://far.example/ubuntu/ priority:2 # far\n',
    );
    expect(await expand('auto:apt', { [apt]: `mirror+file:${list}\n` })).toEqual([
      'far.example:443',
      'near.example:80',
    ]);
    await expect(expand('auto:apt', { [apt]: `mirror+file:${list}.gone\n` })).rejects.toMatchObject({
      code: 'egress-auto-failed',
      message: expect.stringContaining('.gone') as string,
    });
  });
});

describe('a list', () => {
  const answers = {
    [npm]: '{"registry":"https://npm.example/","@a:registry":"http://10.0.0.5:4873/"}',
    [apt]: 'http://deb.example/x\n',
  };

  it('keeps its other rules where they are', async () => {
    const list = ['first.example # why\nauto:npm', 'git.example:22 private Auto:APT', '# auto:pip', 'last.example'];
    expect(await expand(list, answers)).toEqual([
      'first.example',
      '10.0.0.5:4873',
      'npm.example:443',
      'git.example:22',
      'private',
      'deb.example:80',
      'last.example',
    ]);
  });

  it('takes `private` after an auto rule for each name in it', async () => {
    expect(await expand('auto:npm private a.example', answers)).toEqual([
      '10.0.0.5:4873',
      'npm.example:443 private',
      'a.example',
    ]);
  });

  it('without auto rules asks nobody and comes back as it was', async () => {
    const { runner, calls } = tools({});
    expect(await expandAutoRules('a.example # auto:npm', { runner })).toEqual(['a.example # auto:npm']);
    expect(await expandAutoRules(['a.example', '*'], { runner })).toEqual(['a.example', '*']);
    expect(calls).toEqual([]);
  });

  it('asks each tool once', async () => {
    const { runner, calls } = tools(answers);
    await expandAutoRules(['auto:npm', 'auto:npm'], { runner, resolve });
    expect(calls.map(({ line }) => line)).toEqual([npm, npmShown]);
  });

  it('refuses other package managers', async () => {
    await expect(expand('auto:cargo', {})).rejects.toMatchObject({
      code: 'egress-rules-invalid',
      details: {
        issues: [{ path: 'auto:cargo', message: expect.stringContaining('auto:npm, auto:pip, auto:apt') as string }],
      },
    });
    await expect(expand('auto:', {})).rejects.toMatchObject({ code: 'egress-rules-invalid' });
    await expect(expand('auto:constructor', {})).rejects.toMatchObject({ code: 'egress-rules-invalid' });
  });
});
