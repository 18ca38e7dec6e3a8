/** Secrets and their usual encodings become `***`, by the rules of actions/runner SecretMasker.cs and ValueEncoders.cs (without PowerShell's). */
export class SecretMasker {
  readonly #values = new Set<string>();

  /** Also each line of a secret of several, as both `add-mask` and the job's own secrets do. */
  add(secret: string): void {
    if (secret.trim() === '') return;
    this.#addValue(secret);
    for (const line of secret.split(/[\r\n]/)) this.#addValue(line.trim());
  }

  /** A value as it is, for the token of stop-commands. */
  addExact(value: string): void {
    this.#addValue(value);
  }

  mask(text: string): string {
    const places = this.#places(text);
    if (places.length === 0) return text;
    let masked = '';
    let at = 0;
    for (const [start, end] of places) {
      masked += `${text.slice(at, start)}***`;
      at = end;
    }
    return masked + text.slice(at);
  }

  #addValue(value: string): void {
    if (value === '') return;
    for (const form of [value, ...encodings(value)]) if (form !== '') this.#values.add(form);
  }

  /** Where secrets lie, touching and overlapping ones as one. */
  #places(text: string): [number, number][] {
    const found: [number, number][] = [];
    for (const value of this.#values) {
      for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) found.push([at, at + value.length]);
    }
    const merged: [number, number][] = [];
    for (const place of found.sort((a, b) => a[0] - b[0])) {
      const last = merged.at(-1);
      if (last !== undefined && place[0] <= last[1]) last[1] = Math.max(last[1], place[1]);
      else merged.push(place);
    }
    return merged;
  }
}

function encodings(value: string): string[] {
  const bytes = Buffer.from(value);
  return [
    ...[0, 1, 2].map((shift) => (bytes.length > shift ? bytes.subarray(shift) : bytes).toString('base64')),
    value.replaceAll('"', '\\"'),
    value.replaceAll("'", "''"),
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value.toWellFormed()).replace(
      /[!'()*]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    ),
    value.replace(/[<>"'&]/g, (character) => `&${xmlNames[character] ?? character};`),
    value.length > 8 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : '',
  ];
}

const xmlNames: Record<string, string> = { '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos', '&': 'amp' };
