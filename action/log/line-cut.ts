import type { ProtectedForms } from './protected-values.ts';

/**
 * UTF-16 units after which a line is broken. The runner's log keeps lines of any length (its live view shows the first 1024), so only the memory of a
 * line that never ends sets the bound: compiler and linker calls stay whole.
 */
export const maxLineUnits = 32_768;

/** Escape sequences longer than this are text like any other. */
const maxEscapeUnits = 2048;

const escapeSequence = new RegExp(
  [
    String.raw`\x1b\[[0-?]{0,256}[ -/]{0,16}[@-~]`, // colours, cursor
    String.raw`\x1b\][^\0-\x1f\x7f]{0,${String(maxEscapeUnits - 8)}}(?:\x07|\x1b\\)`, // links, titles
    String.raw`\x1b[ -/]{0,16}[0-Z\\^-~]`,
  ].join('|'),
  'gy',
);

export interface Cut {
  /** Where the next piece starts. */
  at: number;
  /** The piece is nothing but protected values that overlap each other, too long to keep: `***` stands for it. */
  masked: boolean;
}

/** How much of a line has to be known before its first piece can be cut off. */
export function windowUnits(protect: ProtectedForms): number {
  return maxLineUnits + reach(protect) + Math.max(protect.longest, maxEscapeUnits);
}

/** How far beyond the bound a piece may go when it starts with something that can't be cut. */
function reach(protect: ProtectedForms): number {
  return Math.max(protect.longest, maxEscapeUnits);
}

/**
 * Where to break a line longer than `maxLineUnits`, of which `window` is the start: at the bound, or else before what may not be cut there: a surrogate
 * pair, an escape sequence, a protected value. Looks at the first `windowUnits` only, so that the answer never depends on how the text came.
 */
export function findCut(window: string, protect: ProtectedForms): Cut {
  const region = wholesAt(window, maxLineUnits, protect);
  if (region === undefined) return { at: maxLineUnits, masked: false };
  if (region.start > 0) return { at: region.start, masked: false };
  const furthest = maxLineUnits + reach(protect);
  if (region.end <= furthest) return { at: region.end, masked: false };
  // Of the wholes across the last possible place, the one that ends last covers all that the others leave of themselves behind its start.
  let last: Span | undefined;
  for (const whole of wholesNear(window, furthest, protect)) {
    if (whole.start < furthest && whole.end > furthest && (last === undefined || whole.end > last.end)) last = whole;
  }
  return { at: last?.start ?? furthest, masked: true };
}

interface Span {
  start: number;
  end: number;
}

/** The unbroken run of wholes that goes across `place`; undefined when the text can be cut there. */
function wholesAt(window: string, place: number, protect: ProtectedForms): Span | undefined {
  const across = [...wholesNear(window, place, protect)].some((whole) => whole.start < place && whole.end > place);
  if (!across) return undefined;
  const all = [...wholesBetween(window, 0, window.length, protect)].sort((a, b) => a.start - b.start);
  let run: Span | undefined;
  for (const whole of all) {
    if (run !== undefined && whole.start < run.end) run.end = Math.max(run.end, whole.end);
    else if (run !== undefined && run.end > place) break;
    else if (whole.start >= place) break;
    else run = { ...whole };
  }
  return run;
}

function wholesNear(window: string, place: number, protect: ProtectedForms): Iterable<Span> {
  const margin = Math.max(protect.longest, maxEscapeUnits);
  return wholesBetween(window, Math.max(0, place - margin), Math.min(window.length, place + margin), protect);
}

function* wholesBetween(window: string, from: number, to: number, protect: ProtectedForms): Generator<Span> {
  const text = window.slice(from, to);
  for (const form of protect.forms) {
    for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) {
      yield { start: from + at, end: from + at + form.length };
    }
  }
  for (let at = text.indexOf('\x1b'); at >= 0; at = text.indexOf('\x1b', at + 1)) {
    escapeSequence.lastIndex = at;
    const found = escapeSequence.exec(text);
    if (found !== null) yield { start: from + at, end: from + at + found[0].length };
  }
  for (const pair of text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) {
    yield { start: from + pair.index, end: from + pair.index + 2 };
  }
}
