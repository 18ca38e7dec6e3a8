import { compilePolicy } from '../../policy/compile-policy.ts';
import type { NameRule } from '../../policy/policy.ts';
import { dial } from '../dial.ts';
import { startProxy } from '../start-proxy.ts';

/** A proxy in a process of its own for measure.ts: arguments are the ports of the TLS and the HTTP server; tells its own ports, and its memory when asked. */
const [tlsPort, httpPort] = process.argv.slice(2).map(Number);
const name = {
  kind: 'name',
  name: 'good.test',
  wildcard: false,
  transport: 'tcp',
  allowPrivate: false,
  text: '',
} as const;
const rules: NameRule[] = [
  { ...name, port: 443, layer: 'tls' },
  { ...name, port: 80, layer: 'http' },
];
const view = compilePolicy({ mode: 'enforce', rules }, { own: [] });
const proxy = await startProxy({
  viewOf: () => ({ sandboxId: 'sbx_measured', view }),
  dialledAddress: () => Promise.resolve(undefined),
  resolve: () => Promise.resolve(['9.9.9.1']),
  dial: (_, port, signal) => dial('127.0.0.1', (port === 443 ? tlsPort : httpPort) ?? 0, signal),
  record: () => undefined,
});
const listeners = [
  await proxy.listen({ address: '127.0.0.1', port: 0, forPort: 443, layer: 'tls' }),
  await proxy.listen({ address: '127.0.0.1', port: 0, forPort: 80, layer: 'http' }),
];
let peakMiB = 0;
setInterval(() => (peakMiB = Math.max(peakMiB, process.memoryUsage.rss() / 1024 / 1024)), 10);
process.on('message', () =>
  process.send?.({ peakMiB, cpuMs: process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000 }),
);
process.send?.(listeners.map(({ port }) => port));
