import { cleanText } from './clean-text.ts';
import { findCut, maxLineUnits, windowUnits } from './line-cut.ts';
import type { ProtectedForms } from './protected-values.ts';

/**
 * Makes whole, clean lines of one guest stream's bytes. What comes out depends on the bytes alone, never on how they were cut into chunks. Holds at most
 * one unfinished line up to a bound.
 */
export class GuestLines {
  readonly #protect: ProtectedForms;
  readonly #windowUnits: number;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #unfinished = '';
  #afterCarriageReturn = false;

  constructor(protect: ProtectedForms) {
    this.#protect = protect;
    this.#windowUnits = windowUnits(protect);
  }

  /** The lines that these bytes complete, each with `\n` at its end. */
  push(bytes: Uint8Array): string {
    return this.#take(this.#decoder.decode(bytes, { stream: true }));
  }

  /** What is left, as a line. */
  end(): string {
    const lines = this.#take(this.#decoder.decode());
    const rest = this.#unfinished;
    this.#unfinished = '';
    return rest === '' ? lines : lines + this.#print(`${rest}\n`);
  }

  #take(decoded: string): string {
    const text = this.#withPlainLineEnds(decoded);
    const end = text.lastIndexOf('\n') + 1;
    if (end === 0) {
      this.#unfinished += text;
      return this.#cutUnfinished();
    }
    const lines = this.#print(this.#unfinished + text.slice(0, end));
    this.#unfinished = text.slice(end);
    return lines + this.#cutUnfinished();
  }

  /** The runner's reader ends a line at `\n`, `\r\n` and a lone `\r` (.NET's StreamReader.ReadLine); a `\r` is not kept waiting for its `\n`. */
  #withPlainLineEnds(text: string): string {
    if (text === '') return text;
    const rest = this.#afterCarriageReturn && text.startsWith('\n') ? text.slice(1) : text;
    this.#afterCarriageReturn = text.endsWith('\r');
    return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest;
  }

  #print(lines: string): string {
    if (!hasLongLine(lines)) return cleanText(lines, this.#protect);
    let printed = '';
    for (let start = 0; start < lines.length;) {
      const end = lines.indexOf('\n', start);
      let line = lines.slice(start, end);
      while (line.length > maxLineUnits) {
        const piece = this.#piece(line);
        printed += `${piece.text}\n`;
        line = line.slice(piece.units);
      }
      printed += `${cleanText(line, this.#protect)}\n`;
      start = end + 1;
    }
    return printed;
  }

  #cutUnfinished(): string {
    let printed = '';
    while (this.#unfinished.length >= this.#windowUnits) {
      const piece = this.#piece(this.#unfinished);
      printed += `${piece.text}\n`;
      this.#unfinished = this.#unfinished.slice(piece.units);
    }
    return printed;
  }

  #piece(line: string): { text: string; units: number } {
    const cut = findCut(line.slice(0, this.#windowUnits), this.#protect);
    return { text: cut.masked ? '***' : cleanText(line.slice(0, cut.at), this.#protect), units: cut.at };
  }
}

function hasLongLine(lines: string): boolean {
  for (let start = 0; lines.length - start > maxLineUnits + 1;) {
    const end = lines.lastIndexOf('\n', start + maxLineUnits);
    if (end < start) return true;
    start = end + 1;
  }
  return false;
}
