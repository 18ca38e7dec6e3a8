import { appendFile } from 'node:fs/promises';
import type { Pin } from '../../dns/pin-document.ts';
import type { PinWriter } from '../pin-writer.ts';

/** Writes each change to a file, one a line, in the place of a packet filter: `+ id opening`, `- id opening`, `= id opening,...`. All pins are in use. */
export function logPinWriter(file: string): PinWriter {
  const write = (line: string) => appendFile(file, `${line}\n`);
  return {
    add: (sandboxId, pin) => write(`+ ${sandboxId} ${openingOf(pin)}`),
    remove: (sandboxId, pin) => write(`- ${sandboxId} ${openingOf(pin)}`),
    replaceAll: (sandboxId, pins) => write(`= ${sandboxId} ${pins.map(({ pin }) => openingOf(pin)).join(',')}`),
    inUse: (_, pins) => Promise.resolve(pins),
    flows: () => Promise.resolve([]),
    idle: () => Promise.resolve(),
  };
}

function openingOf({ transport, address, port }: Pin): string {
  return `${transport} ${address} ${String(port)}`;
}
