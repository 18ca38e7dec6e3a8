import { mostNamedValues } from './limits.ts';

export interface NamedValue {
  name: string;
  value: string;
}

export interface ParsedFile {
  entries: NamedValue[];
  /** Why reading stopped before the end; what stands above it counts, as on the runner. */
  problem?: string;
}

/**
 * The text of a file command, as .NET reads a file: UTF-8, or UTF-16 when its mark says so (PowerShell's `>`); broken characters become U+FFFD.
 */
export function decodeFile(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return new TextDecoder('utf-8').decode(bytes);
}

/**
 * Reads GITHUB_OUTPUT and GITHUB_ENV by the rules of a runner on Linux (actions/runner: FileCommandManager.cs): `NAME=VALUE` lines and
 * `NAME<<DELIMITER` blocks; whichever mark comes first in a line decides; empty lines are passed over; only `\n` ends a line, so a `\r` before it is part of
 * the value or of the delimiter. An empty name in `=VALUE`, which fails the runner later, is a problem here.
 */
export function parseNamedValues(text: string): ParsedFile {
  const entries: NamedValue[] = [];
  const lines = new Lines(text);
  for (let line = lines.next(); line !== undefined; line = lines.next()) {
    if (line.text === '') continue;
    if (entries.length === mostNamedValues)
      return { entries, problem: `line ${lines.at} is beyond the ${String(mostNamedValues)} values that are taken` };
    const equals = line.text.indexOf('=');
    const block = line.text.indexOf('<<');
    if (equals < 0 && block < 0) return { entries, problem: `line ${lines.at} has neither = nor <<` };
    if (block < 0 || (equals >= 0 && equals < block)) {
      if (equals === 0) return { entries, problem: `line ${lines.at} has no name before =` };
      entries.push({ name: line.text.slice(0, equals), value: line.text.slice(equals + 1) });
      continue;
    }
    const name = line.text.slice(0, block);
    const delimiter = line.text.slice(block + 2);
    if (name === '' || delimiter === '')
      return { entries, problem: `line ${lines.at} needs a name before << and a delimiter after it` };
    const opened = lines.at;
    const value = readBlock(lines, delimiter);
    if (value === undefined)
      return { entries, problem: `the value that starts in line ${opened} has no line that ends it` };
    entries.push({ name, value });
  }
  return { entries };
}

/** The folders of GITHUB_PATH, in the order they were added: the last one comes first in PATH. Here a `\r` ends a line too (File.ReadAllLines). */
export function parsePathLines(text: string): string[] {
  return text.split(/\r\n|\r|\n/).filter((line) => line !== '');
}

/** Up to the delimiter, without the line end before it; undefined when the file ends first. */
function readBlock(lines: Lines, delimiter: string): string | undefined {
  const start = lines.position;
  let end = start;
  for (let line = lines.next(); line !== undefined; line = lines.next()) {
    if (line.text === delimiter) return lines.textBetween(start, end);
    end = lines.position - 1;
  }
  return undefined;
}

class Lines {
  readonly #text: string;
  position = 0;
  #number = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The number of the line read last, from 1. */
  get at(): string {
    return String(this.#number);
  }

  next(): { text: string } | undefined {
    if (this.position >= this.#text.length) return undefined;
    const start = this.position;
    const end = this.#text.indexOf('\n', start);
    this.position = end < 0 ? this.#text.length : end + 1;
    this.#number += 1;
    return { text: this.#text.slice(start, end < 0 ? undefined : end) };
  }

  textBetween(start: number, end: number): string {
    return this.#text.slice(start, end);
  }
}
