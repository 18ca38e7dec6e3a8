import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeIsolation, openKvm } from './kvm.ts';
import { checkMachine, installPackages, missingPackages } from './requirements.ts';
import { Root } from './root.ts';
import { systemRunner, type RunResult } from '../../hostd/platform/run.ts';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'offshoot-needs-'));
  await writeFile(
    path.join(folder, 'debian-packages.txt'),
    `# comment\nshell /bin/sh runs\nghost ${folder}/none haunts\nelf  ${folder}/none2 helps\ngcc ${folder}/none compiles the parts\n`,
  );
});

afterEach(() => rm(folder, { recursive: true, force: true }));

function scripted(answer: (words: string) => Partial<RunResult>): { root: Root; calls: string[] } {
  const calls: string[] = [];
  const root = new Root(
    {
      run: (_command, args) => {
        const words = args.slice(1).join(' ');
        calls.push(words);
        return Promise.resolve({ code: 0, signal: null, stdout: '', stderr: '', ...answer(words) });
      },
    },
    0,
    { PATH: '/bin' },
  );
  return { root, calls };
}

describe('packages', () => {
  it('are those whose file is missing and that do more than compile', async () => {
    expect(await missingPackages(path.join(folder, 'debian-packages.txt'))).toEqual(['ghost', 'elf']);
  });

  it('are installed quietly', async () => {
    const { root, calls } = scripted(() => ({ stdout: 'noise' }));
    const lines: string[] = [];
    await installPackages(root, folder, (line) => void lines.push(line));
    expect(lines).toEqual(['installing ghost, elf']);
    expect(calls[0]).toMatch(/^apt-get .*update$/);
    expect(calls[1]).toMatch(
      /^env DEBIAN_FRONTEND=noninteractive apt-get .* --no-install-recommends install ghost elf$/,
    );
  });

  it('that can not be installed show what apt said', async () => {
    const { root } = scripted((words) => (words.includes(' install ') ? { code: 100, stderr: 'E: no ghost\n' } : {}));
    const lines: string[] = [];
    await expect(installPackages(root, folder, (line) => void lines.push(line))).rejects.toMatchObject({
      code: 'local-host-failed',
      hint: expect.stringContaining('apt-get install ghost elf'),
    });
    expect(lines).toContain('E: no ghost');
  });

  it('that are all there cost nothing', async () => {
    await writeFile(path.join(folder, 'debian-packages.txt'), 'shell /bin/sh runs\n');
    const { root, calls } = scripted(() => ({}));
    await installPackages(root, folder, () => undefined);
    expect(calls).toEqual([]);
  });
});

it('the machine has to be Linux on x86-64', () => {
  checkMachine('linux', 'x64');
  expect(() => checkMachine('darwin', 'arm64')).toThrow(/this one is darwin on arm64/);
  expect(() => checkMachine('linux', 'arm64')).toThrow(/linux on arm64/);
});

describe('KVM', () => {
  const real = new Root();

  it('is left alone where others, or a group, may use it', async () => {
    const device = path.join(folder, 'kvm');
    expect(await openKvm(real, device)).toBeUndefined(); // there is none
    await writeFile(device, '', { mode: 0o666 });
    await systemRunner.run('chmod', ['666', device]);
    const { root, calls } = scripted(() => ({}));
    expect(await openKvm(root, device)).toBeUndefined();
    await systemRunner.run('chmod', ['660', device]);
    await systemRunner.run('chgrp', ['12345', device]);
    expect(await openKvm(root, device)).toBeUndefined();
    expect(calls).toEqual([]);
  });

  it('is opened for its group when it is for root alone', async () => {
    const device = path.join(folder, 'kvm');
    await writeFile(device, '');
    await systemRunner.run('chmod', ['600', device]);
    const { root, calls } = scripted(() => ({}));
    expect(await openKvm(root, device)).toBeUndefined();
    expect(calls).toEqual(['getent group kvm', `chgrp kvm ${device}`, `chmod 660 ${device}`]);
    await systemRunner.run('chmod', ['660', device]); // root's group is nobody's that could be given away
    await openKvm(root, device);
    expect(calls).toHaveLength(6);
    const without = scripted((words) => (words.startsWith('getent') ? { code: 2 } : {}));
    expect(await openKvm(without.root, device)).toContain('no group kvm');
    expect(without.calls).toEqual(['getent group kvm']);
  });

  it('is told in one line, and what it means to be without', () => {
    expect(describeIsolation({ tier: 'kvm', reason: 'it booted' })).toBe('Sandboxes run under KVM: it booted.');
    expect(describeIsolation({ tier: 'emulated', reason: 'there is no /dev/kvm' })).toMatch(
      /^Sandboxes are emulated.*there is no \/dev\/kvm.*slower.*no security boundary\.$/,
    );
  });
});
