import { statSync } from 'node:fs';
import { writeFile, rename } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { identifyProcess, type ProcessIdentity } from '../../../platform/process-identity.ts';
import { openControlServer, operation, type Operation } from './control-server.ts';
import { z } from 'zod';
import { helperFiles, type HelperFiles } from './helper-files.ts';
import { maxControlLineBytes, protocolVersion, type HelperHealth, type HelperRole } from './messages.ts';
import { startOverFromCache } from './start-over.ts';

/** What a helper does; its process is around it. */
export interface HelperService {
  readonly operations: Readonly<Record<string, Operation>>;
  health(): Pick<HelperHealth, 'epoch' | 'sandboxes' | 'listeners' | 'reportRows'>;
  close(): Promise<void>;
}

const lookMs = 1000;
/** A predecessor may still be on its way out. */
const lockPatienceMs = 5000;

/**
 * Runs a helper until it is told to end, is signalled, or its folder is gone. One of a role runs in a folder: the kernel gives its lock
 * away however it dies, and who does not get it ends with code 3.
 */
export async function runHelper(role: HelperRole, folder: string, open: () => Promise<HelperService>): Promise<void> {
  startOverFromCache();
  const files = helperFiles(folder, role);
  // Kept: the garbage collector would close it and give the lock away.
  const lock = await takeLock(files.lock);
  if (lock === undefined) {
    console.error(`another ${role} serves ${folder}`);
    process.exitCode = 3;
    return;
  }
  const self = await ownIdentity();
  await writeWhole(files.identity, { ...self, role });
  const ended = Promise.withResolvers<undefined>();
  const end = (): void => ended.resolve(undefined);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, end);
  process.on('SIGHUP', () => undefined);
  const service = await open();
  const health = (): HelperHealth => ({
    role,
    protocolVersion,
    ...self,
    ...service.health(),
    rssMiB: Math.round(process.memoryUsage.rss() / 1024 / 1024),
  });
  const own = { health: () => Promise.resolve(health()), end: operation(z.unknown(), end) };
  const control = await openControlServer(files.controlSocket, { ...service.operations, ...own }, maxControlLineBytes);
  await Promise.race([ended.promise, untilGone(files)]);
  await service.close();
  await control.close();
  lock.close();
  process.exit(0);
}

async function takeLock(path: string): Promise<DatabaseSync | undefined> {
  const deadlineMs = performance.now() + lockPatienceMs;
  for (;;) {
    const database = new DatabaseSync(path, { timeout: 0 });
    try {
      database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE;');
      return database;
    } catch (error) {
      database.close();
      if (!(error instanceof Error) || !error.message.includes('locked')) throw error;
      if (performance.now() > deadlineMs) return undefined;
      await sleep(50);
    }
  }
}

async function ownIdentity(): Promise<ProcessIdentity> {
  const self = await identifyProcess(process.pid);
  if (self === undefined) throw new Error('/proc does not tell about this process');
  return self;
}

async function writeWhole(path: string, content: unknown): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(content), { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** Also when another folder is in its place: then hostd began anew, and nobody will ever come back to this one. */
async function untilGone(files: HelperFiles): Promise<void> {
  const inode = (): number | undefined => statSync(files.lock, { throwIfNoEntry: false })?.ino;
  const first = inode();
  while (first !== undefined && inode() === first) await sleep(lookMs);
}
