import { appendFile } from 'node:fs/promises';
import { openingKey, type PinWriter } from '../pin-writer.ts';

/** Writes each change to a file, one a line, in the place of a packet filter: `+ id opening`, `- id opening`, `= id opening,...`. */
export function logPinWriter(file: string): PinWriter {
  const write = (lines: readonly string[]) => appendFile(file, lines.map((line) => `${line}\n`).join(''));
  return {
    add: (batch) => write(batch.map(({ sandbox, opening }) => `+ ${sandbox.sandboxId} ${openingKey(opening)}`)),
    remove: (batch) => write(batch.map(({ sandbox, opening }) => `- ${sandbox.sandboxId} ${openingKey(opening)}`)),
    keepOnly: (sandbox, openings) => write([`= ${sandbox.sandboxId} ${openings.map(openingKey).join(',')}`]),
    inUse: (_, openings) => Promise.resolve(openings),
  };
}
