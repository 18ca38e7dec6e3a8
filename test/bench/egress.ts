import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sandbox } from '../../hostd/client/index.ts';
import { EgressWorld } from '../egress/egress-world.ts';
import { probe, type GuestProbe } from '../egress/guest-probe.ts';
import { at } from '../egress/outside-of-battery.ts';
import { ending } from './endings.ts';
import { figure, time, type Figure } from './figures.ts';

const few = ['allowed.example', 'plain.example:80'];
const many = [...few, ...Array.from({ length: 1000 - few.length }, (_, index) => `n${String(index)}.rules.example`)];
const downloadBytes = 48 * 1024 * 1024;
const connections = 200;
/** A guest without KVM takes about that long for so many handshakes: it does them one after the other, and then all connections are open. */
const holdUntilSeconds = 50;
/** Each way is measured in turns with the other, so that both meet the machine in the same state. */
const rounds = 5;

const https = { kind: 'tls', to: at.web, port: 443, sni: 'allowed.example' } as const satisfies GuestProbe;

/** What keeping a sandbox to a policy costs it, against plain address translation; servers are of a pretended internet on this machine. */
export async function measureEgress(
  stateDirectory: string,
  n: number,
  report: (figure: Figure) => void,
): Promise<void> {
  const opening = EgressWorld.open(stateDirectory);
  await ending(
    async () => {
      const world = await opening;
      const sandbox = await world.create({ memoryMiB: 1024, egress: few });
      await measureChanges(sandbox, n, report);
      await measureConnections(sandbox, n, report);
      await measureDownloads(sandbox, report);
      await measureManyConnections(world, sandbox, report);
    },
    async () => (await opening).close(),
    async () => (await opening).cutOff(),
  );
}

async function measureChanges(sandbox: Sandbox, n: number, report: (figure: Figure) => void): Promise<void> {
  for (const rules of [few, many]) {
    let changes = 0;
    const taken = await time(n, () => {
      changes += 1;
      return sandbox.setEgress([...rules, `ssh${String(changes % 2)}.example:22`]);
    });
    const count = rules === few ? '3' : '1,000';
    report(figure(`change of policy in force, ${count} rules`, 'ms', '<= 50 ms', taken));
  }
}

/** Connect, handshake and a short answer. */
async function measureConnections(sandbox: Sandbox, n: number, report: (figure: Figure) => void): Promise<void> {
  const ways = { direct: { mode: 'open' } as const, few, many };
  const taken: Record<keyof typeof ways, number[]> = { direct: [], few: [], many: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const way of ['direct', 'few', 'many'] as const) {
      await sandbox.setEgress(ways[way]);
      const [, ...results] = await probe(
        sandbox,
        Array.from({ length: 1 + Math.ceil(n / 2) }, () => https),
        { atOnce: 1 },
      );
      const failed = results.find(({ seen }) => !seen.startsWith('200 '));
      if (failed !== undefined) throw new Error(`https did not work, ${way}: ${failed.seen}`);
      taken[way].push(...results.map(({ tookMs }) => tookMs));
    }
  }
  report(figure('https, connect to answer, plain NAT', 'ms', '', taken.direct));
  report(figure('https, connect to answer, 2 rules', 'ms', '<= plain NAT + 15 ms', taken.few));
  report(figure('https, connect to answer, 1,000 rules', 'ms', 'as with 2 rules', taken.many));
}

async function measureDownloads(sandbox: Sandbox, report: (figure: Figure) => void): Promise<void> {
  for (const url of ['http://plain.example', 'https://allowed.example']) {
    const options = ['-sS', '--http1.1', '--cacert', 'ca.pem', '-o', '/dev/null', '-w', '%{speed_download}'];
    const argv = ['curl', ...options, `${url}/bytes/${String(downloadBytes)}`];
    const shares: number[] = [];
    const enforced: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await sandbox.setEgress({ mode: 'open' });
      const direct = await speed(sandbox, argv);
      await sandbox.setEgress(few);
      const byProxy = await speed(sandbox, argv);
      enforced.push(byProxy);
      shares.push((100 * byProxy) / direct);
    }
    const scheme = url.split(':')[0] ?? '';
    report(figure(`${scheme} download`, 'MB/s', '', enforced));
    report(figure(`${scheme} download, share of plain NAT’s`, '%', '>= 60 %', shares));
  }
}

/** MB/s, as curl tells it. */
async function speed(sandbox: Sandbox, argv: readonly string[]): Promise<number> {
  const [result] = await probe(sandbox, [{ kind: 'run', argv }]);
  const bytesPerSecond = Number(/^exit 0 ([\d.]+)$/.exec(result?.seen ?? '')?.[1]);
  if (Number.isNaN(bytesPerSecond)) throw new Error(`the download did not work: ${String(result?.seen)}`);
  return bytesPerSecond / 1e6;
}

/** All are open before the first one asks; then all ask at once. */
async function measureManyConnections(
  world: EgressWorld,
  sandbox: Sandbox,
  report: (figure: Figure) => void,
): Promise<void> {
  await sandbox.setEgress(few);
  const probes = Array.from({ length: connections }, (_, index) => ({
    ...https,
    startSeconds: (index * holdUntilSeconds * 0.8) / connections,
    holdUntilSeconds,
    paths: ['/bytes/100000'],
  }));
  const samples: Memory[] = [];
  let isDone = false;
  const probing = probe(sandbox, probes, { atOnce: connections }).finally(() => (isDone = true));
  while (!isDone) {
    samples.push(await memoryOf((await world.helper('proxy')).pid));
    await Promise.race([probing, sleep(200)]);
  }
  const results = await probing;
  const failed = results.find(({ seen }) => seen !== '200 100000 bytes');
  if (failed !== undefined) throw new Error(`one of ${String(connections)} connections: ${failed.seen}`);
  const under = `of the proxy under ${String(connections)} https connections, most`;
  report(figure(`PSS ${under}`, 'MiB', '<= 100 MiB', [Math.max(...samples.map(({ pssMiB }) => pssMiB))]));
  report(figure(`RSS ${under}`, 'MiB', '<= 100 MiB', [Math.max(...samples.map(({ rssMiB }) => rssMiB))]));
}

interface Memory {
  rssMiB: number;
  /** Without what it shares with others, as the program of Node itself. */
  pssMiB: number;
}

async function memoryOf(pid: number): Promise<Memory> {
  const text = await readFile(`/proc/${String(pid)}/smaps_rollup`, 'utf8');
  const mebibytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1]) / 1024;
  return { rssMiB: mebibytes('Rss'), pssMiB: mebibytes('Pss') };
}
