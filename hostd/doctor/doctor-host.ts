import { constants } from 'node:fs';
import { access, copyFile, mkdtemp, readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { systemSearchPath } from '../daemon/host-tools.ts';
import { systemRunner, type Runner } from '../platform/run.ts';

/** TMPFS_MAGIC and RAMFS_MAGIC of linux/magic.h */
const memoryFileSystems: ReadonlySet<number> = new Set([0x01021994, 0x858458f6]);

/** What doctor sees of a machine; tests give one they made up. */
export interface DoctorHost {
  readonly uid: number;
  readonly architecture: string;
  readonly searchPath: string;
  readonly runner: Runner;
  /** undefined when the file is not there or not readable. */
  readText(path: string): Promise<string | undefined>;
  exists(path: string): Promise<boolean>;
  /** Names in a folder; none when it is not there. */
  list(path: string): Promise<string[]>;
  /** The file system that a folder is in; `isInMemory`: a tmpfs or ramfs. */
  fileSystem(path: string): Promise<{ sizeMiB: number; freeMiB: number; isInMemory: boolean }>;
  /** Whether files can share their blocks in this folder; undefined when nothing can be written there. */
  reflinks(path: string): Promise<boolean | undefined>;
  /** IPv4 addresses of the interfaces. */
  addresses(): { name: string; cidr: string }[];
  /** Whether somebody answers on a unix socket. */
  answers(socketPath: string): Promise<boolean>;
}

/** This machine. Widens PATH to the folders of system programs, as hostd does. */
export function thisHost(): DoctorHost {
  process.env.PATH = systemSearchPath(process.env.PATH);
  return {
    uid: process.getuid?.() ?? -1,
    architecture: process.arch,
    searchPath: process.env.PATH,
    runner: systemRunner,
    readText: (path) => readFile(path, 'utf8').catch(() => undefined),
    exists: (path) => succeeds(access(path)),
    list: (path) => readdir(path).catch(() => []),
    fileSystem: async (path) => {
      const { type, blocks, bavail, bsize } = await statfs(path);
      const inMiB = (count: number) => Math.floor((count * bsize) / 1024 / 1024);
      return { sizeMiB: inMiB(blocks), freeMiB: inMiB(bavail), isInMemory: memoryFileSystems.has(type) };
    },
    reflinks,
    addresses: () =>
      Object.entries(networkInterfaces()).flatMap(([name, all = []]) =>
        all.flatMap(({ family, cidr }) => (family === 'IPv4' && cidr !== null ? [{ name, cidr }] : [])),
      ),
    answers: (socketPath) =>
      new Promise((resolve) => {
        const socket = connect(socketPath);
        socket.once('connect', () => resolve(true));
        socket.once('error', () => resolve(false));
        socket.once('connect', () => socket.destroy());
      }),
  };
}

async function reflinks(path: string): Promise<boolean | undefined> {
  const folder = await mkdtemp(join(path, '.doctor-')).catch(() => undefined);
  if (folder === undefined) return undefined;
  try {
    const source = join(folder, 'a');
    await writeFile(source, Buffer.alloc(65_536, 1));
    return await succeeds(copyFile(source, join(folder, 'b'), constants.COPYFILE_FICLONE_FORCE));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function succeeds(promise: Promise<unknown>): Promise<boolean> {
  return promise.then(
    () => true,
    () => false,
  );
}
