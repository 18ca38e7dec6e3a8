import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCertificate } from '../../hostd/net/egress/proxy/testing/certificate.ts';
import { outside, openOutsideWorld, type OutsideWorld } from './outside-world.ts';

/** What arrives outside is whatever a guest sends: no server of the double may fall over it, or later tests would find it silent. */

let world: OutsideWorld;

beforeAll(async () => {
  const { key, cert } = makeCertificate(['public.example']);
  world = await openOutsideWorld({
    internetServers: [
      {
        address: outside.publicAddress,
        udpPorts: [7],
        dns: { zone: { 'public.example': { a: [outside.publicAddress] } } },
        web: { tls: { key, cert } },
      },
    ],
  });
});

afterAll(() => world.close());

const python = (code: string) =>
  world.run('python3', ['-c', `import socket, struct\nto = '${outside.publicAddress}'\n${code}`]);

const bySourcePort = (port: number, query: string) => `
raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_UDP)
data = ${query}
raw.sendto(struct.pack('>HHHH', 0, ${String(port)}, 8 + len(data), 0) + data, (to, 0))`;

const byTcp = (port: number, data: string) => `
link = socket.create_connection((to, ${String(port)}))
link.sendall(${data})
link.shutdown(socket.SHUT_WR)
while link.recv(4096): pass`;

const query = "bytes.fromhex('000101000001000000000000') + b'\\6public\\7example\\0' + struct.pack('>HH', 1, 1)";
const noQuery = "b'\\0' * 12 + b'\\77'";

test.each([
  ['a datagram from port 0', bySourcePort(7, "b'q'")],
  ['a DNS query from port 0', bySourcePort(53, query)],
  [
    'bytes by UDP that are no DNS query',
    `socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(${noQuery}, (to, 53))`,
  ],
  ['bytes by TCP that are no DNS query', byTcp(53, `struct.pack('>H', 13) + ${noQuery}`)],
  ['an upload that is broken off', byTcp(80, "b'POST / HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: 1000\\r\\n\\r\\nx'")],
  ['a request for less than no bytes', byTcp(80, "b'GET /bytes/-1 HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n'")],
])('%s does not end the servers', async (_name, send) => {
  const seenBefore = world.arrivals.length;
  await python(send);
  await expect.poll(() => world.arrivals.length, { timeout: 20_000 }).toBeGreaterThan(seenBefore);
  const { stdout } = await python(`
asking = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
asking.settimeout(20)
asking.sendto(b'q', (to, 7))
print(asking.recv(100).decode())`);
  expect(stdout).toBe(`${outside.publicAddress} ${outside.hostAddress} q\n`);
});
