import { afterAll, beforeAll, expect, test } from 'vitest';
import { outside } from '../../test/doubles/outside-world.ts';
import { Lab } from './testing/lab.ts';
import type { StandInGuest } from './testing/stand-in-guest.ts';

let lab: Lab;
let open: StandInGuest;
let enforced: StandInGuest;

beforeAll(async () => {
  lab = await Lab.open();
  const network = lab.network({ checkSeconds: 1 }, 'policies');
  await network.start();
  ({ guest: open } = await lab.sandbox(network, 0, 'open'));
  ({ guest: enforced } = await lab.sandbox(network, 1, 'enforce'));
}, 60_000);

afterAll(() => lab.close());

const program = `
import socket, sys, time

def told():
    names, values = [line.split() for line in open("/proc/net/snmp") if line.startswith("Icmp:")]
    return int(values[names.index("InDestUnreachs")])

address, count = sys.argv[1], int(sys.argv[2])
before = told()
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(count):
    sender.sendto(b"ping", (address, 9))
deadline = time.monotonic() + 2
while told() - before < count and time.monotonic() < deadline:
    time.sleep(0.02)
print(told() - before)
`;

/** How many of so many datagrams, sent as fast as can be, the guest is told of that they are refused. */
async function toldOf(guest: StandInGuest, address: string, count: number): Promise<number> {
  const { stdout } = await guest.run('python3', ['-c', program, address, String(count)]);
  return Number(stdout);
}

test('each of many datagrams to the host is refused, in mode open too, where the host itself would fall silent', async () => {
  expect(await toldOf(open, outside.hostAddress, 40)).toBe(40);
  expect(await toldOf(open, '10.83.0.1', 40)).toBe(40);
});

test('so it is at an address that the host got since, and what was open by then stays open', async () => {
  const got = '192.0.2.201';
  // It reads nothing for a while, so that most is still to come when the rules change.
  const download = open.run('busybox', [
    ...['sh', '-c'],
    `sleep 6 | busybox nc ${outside.publicAddress} 9000 | (sleep 4; wc -c)`,
  ]);
  await lab.world.run('ip', ['addr', 'add', `${got}/32`, 'dev', 'lo']);
  await expect.poll(() => toldOf(open, got, 20), { timeout: 15_000, interval: 500 }).toBe(20);
  expect(Number((await download).stdout)).toBe(4 * 1024 * 1024);
});

test('a flood of refused datagrams is refused one by one: no brake for all of them leaves the others’ unsaid', async () => {
  expect(await toldOf(enforced, outside.publicAddress, 600)).toBe(600);
});
