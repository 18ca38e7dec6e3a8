import { readFile, statfs } from 'node:fs/promises';
import { availableParallelism } from 'node:os';

export interface ResourceReading {
  memoryTotalMiB: number;
  memoryAvailableMiB: number;
  /** Share of the last 10 s in which some task waited for memory; 0 where the kernel does not tell. */
  memoryPressurePercent: number;
  diskTotalMiB: number;
  diskFreeMiB: number;
}

/** What the host has, now. */
export interface HostResources {
  readonly cpus: number;
  read(): Promise<ResourceReading>;
  /** Room that a file system has left, in MiB; 0 where there is no such folder. */
  roomMiB(folder: string): Promise<number>;
}

const mib = 1024 * 1024;

/** Reads /proc and the file system of the state directory. */
export function linuxResources(stateDirectory: string): HostResources {
  return {
    cpus: availableParallelism(),
    read: async () => {
      const [meminfo, pressure, disk] = await Promise.all([
        readFile('/proc/meminfo', 'utf8'),
        readFile('/proc/pressure/memory', 'utf8').catch(() => ''),
        statfs(stateDirectory),
      ]);
      return {
        memoryTotalMiB: memoryField(meminfo, 'MemTotal'),
        memoryAvailableMiB: memoryField(meminfo, 'MemAvailable'),
        memoryPressurePercent: parsePressure(pressure),
        diskTotalMiB: Math.floor((disk.blocks * disk.bsize) / mib),
        diskFreeMiB: Math.floor((disk.bavail * disk.bsize) / mib),
      };
    },
    roomMiB: async (folder) => {
      const found = await statfs(folder).catch(() => undefined);
      return found === undefined ? 0 : Math.floor((found.bavail * found.bsize) / mib);
    },
  };
}

function memoryField(meminfo: string, name: string): number {
  const match = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(meminfo);
  return Math.floor(Number(match?.[1] ?? 0) / 1024);
}

/** `some avg10=` of a pressure file. */
export function parsePressure(text: string): number {
  const match = /^some avg10=([\d.]+)/m.exec(text);
  return Number(match?.[1] ?? 0);
}
