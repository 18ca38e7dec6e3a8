import { createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../hostd/client/index.ts';
import { useHostd } from './support/suite.ts';

/** A real guest's view; hostd/net's own suites have the rules in full, against a pretended outside world. */

const suite = useHostd();
let server: Server;
let port = 0;
let reached = 0;

beforeAll(async () => {
  server = createServer((socket) => {
    reached += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const address = server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});

afterAll(() => {
  server.close();
});

function hostAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flat()
    .filter((address) => address?.family === 'IPv4' && !address.internal)
    .map((address) => address?.address ?? '');
}

/** Tries to connect from the guest; prints how each try went and how long it took. */
async function connect(
  sandbox: Sandbox,
  targets: string[],
): Promise<{ target: string; outcome: string; seconds: number }[]> {
  const code = [
    'import json, socket, sys, time',
    'for target in sys.argv[2:]:',
    '    began = time.time()',
    '    try:',
    '        socket.create_connection((target, int(sys.argv[1])), timeout=20).close(); outcome = "connected"',
    '    except OSError as error: outcome = type(error).__name__',
    '    print(json.dumps({"target": target, "outcome": outcome, "seconds": time.time() - began}))',
  ].join('\n');
  const { stdout } = await sandbox.exec(['python3', '-c', code, String(port), ...targets], { check: true });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { target: string; outcome: string; seconds: number });
}

describe.each(['open', 'audit', 'enforce'] as const)('%s', (mode) => {
  test('the host is out of reach on every address it has, and says so at once', async () => {
    await using sandbox = await suite.create({ egress: { mode } });
    const gateway = (
      await sandbox.exec("ip -4 route 2>/dev/null | sed -n 's/default via \\([^ ]*\\).*/\\1/p'")
    ).stdout.trim();
    const targets = [...hostAddresses(), ...(gateway === '' ? [] : [gateway]), '127.0.0.1'];
    expect(targets.length).toBeGreaterThan(1);
    for (const attempt of await connect(sandbox, targets)) {
      expect(attempt).toMatchObject({ outcome: expect.stringMatching(/Error|refused/) as unknown });
      expect(attempt.seconds).toBeLessThan(10);
    }
    expect(reached).toBe(0);
  });

  test('the gateway answers DNS', async () => {
    await using sandbox = await suite.create({ egress: { mode } });
    const asked = await sandbox.exec(['cat', '/etc/resolv.conf'], { check: true });
    expect(asked.stdout).toMatch(/^nameserver \d+\.\d+\.\d+\.\d+\n/);
    expect((await sandbox.exec(['getent', 'hosts', 'no-such-name.invalid'])).exitCode).toBe(2);
  });
});

describe('none', () => {
  test('nothing is reached and nothing hangs', async () => {
    await using sandbox = await suite.create({ egress: { mode: 'none' } });
    expect(sandbox.info.egress).toEqual({ mode: 'none', allow: [], revision: 1 });
    for (const attempt of await connect(sandbox, hostAddresses())) {
      expect(attempt.outcome).not.toBe('connected');
      expect(attempt.seconds).toBeLessThan(10);
    }
    expect((await sandbox.exec(['getent', 'hosts', 'localhost'])).exitCode).toBe(0);
  });
});
