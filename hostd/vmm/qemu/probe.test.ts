import { expect, test } from 'vitest';
import type { Runner } from '../../platform/run.ts';
import { neededCommands, probeQemu } from './probe.ts';

const commands = [...neededCommands];

interface Pretended {
  version?: string;
  machines?: string;
  commands?: string[];
  stderr?: string;
}

function qemu(pretended: Pretended): Runner {
  const version = pretended.version ?? 'QEMU emulator version 7.2.22 (Debian 1:7.2)\nCopyright';
  const machines = pretended.machines ?? 'Supported machines are:\nmicrovm              microvm (i386)\n';
  const names = (pretended.commands ?? commands).map((name) => ({ name }));
  const qmp = `{"QMP": {}}\n{"return": {}}\n${JSON.stringify({ return: names })}\n`;
  return {
    run: (_program, args) => {
      const stdout = args.includes('--version')
        ? version
        : args.includes('help')
          ? machines
          : pretended.stderr === undefined
            ? qmp
            : '';
      return Promise.resolve({ code: 0, signal: null, stdout, stderr: pretended.stderr ?? '' });
    },
  };
}

const probe = (pretended: Pretended) => probeQemu(qemu(pretended), '/usr/bin/qemu');

test('a QEMU with all it takes', async () => {
  expect(await probe({})).toEqual({
    program: '/usr/bin/qemu',
    version: { text: '7.2.22 (Debian 1:7.2)', major: 7, minor: 2 },
  });
  expect(await probe({ version: 'QEMU emulator version 10.0.13 (Debian 1:10)' })).toMatchObject({
    version: { major: 10, minor: 0 },
  });
});

test.each<[Pretended, string]>([
  [{ version: 'QEMU emulator version 6.2.0' }, 'is too old'],
  [{ version: 'qemu?' }, 'does not tell its version'],
  [{ machines: 'pc   Standard PC' }, 'no machine microvm'],
  [
    { commands: commands.filter((name) => !/^(xen|block-st)/.test(name)) },
    'lacks the QMP commands xen-save-devices-state, block-stream',
  ],
  [{ stderr: '-sandbox: seccomp support is disabled' }, 'seccomp support is disabled'],
])('%j: %s', async (pretended, problem) => {
  const found = await probe(pretended);
  expect(found).toMatchObject({
    problem: expect.stringContaining(problem) as string,
    mend: expect.any(String) as string,
  });
});
