/* eslint-disable no-control-regex -- control characters are what this is about */
/** What must not be cut in two, and what has to be masked here because printing would change it. */
export interface ProtectedForms {
  /** Every form a value can be printed in that the runner masks, without line ends, at least two characters long. */
  forms: readonly string[];
  /** Those that cleaning would change, so that the runner no longer knew them; longest first. */
  maskedHere: readonly string[];
  /** UTF-16 units of the longest form; 0 without any. */
  longest: number;
}

const changedByCleaning = /[\0-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f]|#\[/;

/**
 * The runner masks a value whole and, when it has several lines, each trimmed line; and it masks base64 (at the three alignments), JSON, URI and XML
 * forms of each (actions/runner: HostContext.cs, AddMaskCommandExtension, ValueEncoders.cs).
 */
export function protectedForms(values: readonly string[]): ProtectedForms {
  const forms = new Set<string>();
  for (const value of values) {
    const lines = value.split(/[\r\n]+/);
    for (const plain of new Set([value, ...lines, ...lines.map((line) => line.trim())])) {
      if (plain.trim() === '') continue;
      for (const form of encodings(plain)) {
        if (form.length >= 2 && !/[\r\n]/.test(form)) forms.add(form);
      }
    }
  }
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  return {
    forms: longestFirst,
    maskedHere: longestFirst.filter((form) => changedByCleaning.test(form)),
    longest: longestFirst[0]?.length ?? 0,
  };
}

function encodings(value: string): string[] {
  const bytes = Buffer.from(value);
  const encoded = [0, 1, 2]
    .filter((shift) => bytes.length > shift)
    .map((shift) => bytes.subarray(shift).toString('base64'));
  const xml = value
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;');
  return [value, ...encoded, JSON.stringify(value).slice(1, -1), encodeURIComponent(value.toWellFormed()), xml];
}
