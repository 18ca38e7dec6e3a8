import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Sandbox } from '../../hostd/client/index.ts';
import type { HostdProcess } from '../support/hostd-process.ts';
import { figure, type Figure } from './figures.ts';
import { vmmMemoryMiB } from './vmm-memory.ts';

const count = 20;
const rounds = 3;

/** Twenty sandboxes at once: how long until all answer, what each costs, what the daemon costs. */
export async function measureCrowd(hostd: HostdProcess, report: (figure: Figure) => void): Promise<void> {
  const together: number[] = [];
  const perSandbox: number[] = [];
  const daemon: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const startedMs = performance.now();
    const sandboxes = await Promise.all(Array.from({ length: count }, () => createAndAsk(hostd.host)));
    together.push(performance.now() - startedMs);
    await sleep(3000); // idle
    perSandbox.push(...(await vmmMemoryMiB()).values());
    daemon.push(await residentMiB(hostd.pid ?? 0));
    await Promise.all(
      sandboxes.map(async (sandbox) => {
        await sandbox.stop();
        await sandbox.disconnect();
      }),
    );
  }
  report(figure('20 sandboxes created at once, all answer', 'ms', '<= 4000 ms', together));
  report(figure('idle sandbox PSS, 20 alive', 'MiB', '<= 60 MiB', perSandbox));
  report(figure('hostd RSS with 20 sandboxes', 'MiB', '<= 150 MiB', daemon));
}

async function createAndAsk(host: string): Promise<Sandbox> {
  const sandbox = await Sandbox.create({ memoryMiB: 512, connection: { host } });
  await sandbox.exec(['echo', 'hello'], { check: true });
  return sandbox;
}

async function residentMiB(pid: number): Promise<number> {
  const text = await readFile(`/proc/${String(pid)}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(text)?.[1]) / 1024;
}
