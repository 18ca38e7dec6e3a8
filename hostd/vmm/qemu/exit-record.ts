import { open, readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { VmExit } from '../vmm.ts';
import { machineFiles } from './machine-files.ts';

const tailBytes = 4096;

const exitSchema = z.object({
  exitCode: z.number().int().nullable(),
  signalNumber: z.number().int().nullable(),
  cpuSeconds: z.number(),
  peakMemoryKiB: z.number(),
  killRequested: z.boolean(),
});

type ExitRecord = z.infer<typeof exitSchema>;

/** How the machine of this folder ended; undefined when its launcher left no record, because it still runs or was killed itself. */
export async function readExit(directory: string): Promise<VmExit | undefined> {
  const text = await readFile(join(directory, machineFiles.exit), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const parsed = exitSchema.safeParse(parseJson(text));
  if (!parsed.success) return undefined;
  const record = parsed.data;
  const consoleText = await readTail(directory, machineFiles.console);
  return {
    exitCode: record.exitCode,
    signal: record.signalNumber === null ? null : signalName(record.signalNumber),
    cpuSeconds: record.cpuSeconds,
    peakMemoryMiB: Math.ceil(record.peakMemoryKiB / 1024),
    cause: causeOf(record, consoleText),
    consoleTail: await readConsoleTail(directory),
  };
}

/** The exit of a machine that is gone while its launcher could not write how. */
export async function unrecordedExit(directory: string): Promise<VmExit> {
  const consoleTail = await readConsoleTail(directory);
  return { exitCode: null, signal: null, cpuSeconds: 0, peakMemoryMiB: 0, cause: 'unknown', consoleTail };
}

// QEMU ends with 0 when the guest powers off, and also (-no-reboot) when it resets, which is how it panics. The text is the guest's own
// word: good enough to tell people, nothing is decided by it.
function causeOf(record: ExitRecord, consoleText: string): VmExit['cause'] {
  if (record.killRequested) return 'killed-by-us';
  if (record.signalNumber === constants.signals.SIGKILL) return 'vmm-killed';
  if (record.signalNumber !== null || record.exitCode !== 0) return 'vmm-crashed';
  return consoleText.includes('Kernel panic') ? 'guest-panic' : 'guest-shutdown';
}

/** The last lines of the guest's console and what QEMU itself said, at most 4 KiB in all. */
export async function readConsoleTail(directory: string): Promise<string> {
  const [guest, vmm] = await Promise.all([
    readTail(directory, machineFiles.console),
    readTail(directory, machineFiles.vmmLog),
  ]);
  const said = vmm.trim() === '' ? '' : `\nVMM: ${vmm.trim().slice(-tailBytes / 2)}`;
  return (guest.slice(-(tailBytes - said.length)) + said).slice(-tailBytes);
}

interface LogParts {
  head: string;
  tail: string;
  older: string;
}

async function readTail(directory: string, parts: LogParts): Promise<string> {
  let text = '';
  for (const name of [parts.tail, parts.older, parts.head]) {
    text = (await readLast(join(directory, name), 2 * tailBytes)) + text;
    if (text.length >= tailBytes) break;
  }
  // The guest writes what it likes: keep what a terminal and a JSON log can show.
  // eslint-disable-next-line no-control-regex
  return text.replaceAll('\r', '').replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '\ufffd');
}

async function readLast(path: string, most: number): Promise<string> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return '';
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(Math.min(size, most));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** The name of a signal number, as `kill -l` gives it. */
export function signalName(number: number): string {
  const found = Object.entries(constants.signals).find(([, value]) => value === number);
  return found === undefined ? `signal ${String(number)}` : found[0];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
