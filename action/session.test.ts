import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readSession, sessionFile, writeSession, type Session } from './session.ts';

const session: Session = {
  version: 1,
  sandboxId: 'sbx_1',
  host: 'unix:/x',
  workspace: '/w',
  shell: 'bash',
  env: 'TOKEN=secret',
  named: {},
  timeoutMs: 1,
  leaseSeconds: 180,
  sync: true,
  syncExclude: [],
  artifacts: [],
  artifactsFolder: 'a',
  keepMinutes: 0,
  failOnEgressDenied: false,
  deniedSeen: 0,
  pathEntries: ['/opt/bin'],
  envEntries: [{ name: 'A', value: 'b\nc' }],
  timings: { queued: 1 },
};

test('a session is kept for its own user only', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'offshoot-session-'));
  try {
    const file = sessionFile(folder, 'sbx_1');
    await writeSession(file, session);
    expect(await readSession(file)).toEqual(session);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(path.dirname(file))).mode & 0o777).toBe(0o700);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('without one the reader learns which step is missing', async () => {
  await expect(readSession('/nowhere/sbx_1.json')).rejects.toMatchObject({
    code: 'usage',
    hint: expect.stringContaining('without `run`') as string,
  });
});
