/** Where the runner's platform treats text differently from JavaScript. */

/** Characters that a culture-sensitive comparison does not see: controls without a width, zero-width and soft characters. */
const unseen =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000E-\u001F\u007F-\u0084\u0086-\u009F\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2064\uFEFF]/;

/** String.TrimStart: NEL is white space there and the byte order mark is not. */
export function trimStart(text: string): string {
  return text.replace(/^[\t-\r \u0085\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000]+/, '');
}

/**
 * String.IndexOf(string) with the current culture, as the runner looks for `##[` and `::`: it looks through characters of no weight,
 * so that `#<U+200B>#[` is found too. Returns an index into the text or -1.
 */
export function indexOfSeen(text: string, wanted: string, from = 0): number {
  if (!unseen.test(text)) return text.indexOf(wanted, from);
  const places: number[] = [];
  let seen = '';
  for (let at = from; at < text.length; at++) {
    const character = text.charAt(at);
    if (unseen.test(character)) continue;
    seen += character;
    places.push(at);
  }
  return places[seen.indexOf(wanted)] ?? -1;
}

/** Whether nothing of this has a weight in a culture-sensitive comparison. */
export function isUnseen(text: string): boolean {
  return [...text].every((character) => unseen.test(character));
}

/** StreamReader.ReadLine over chunks: LF, CR LF and a lone CR each end a line; what is left at the end is a line too. */
export class LineReader {
  readonly #decoder = new TextDecoder('utf-8');
  #rest = '';
  #afterReturn = false;

  /** The lines that this chunk ended. */
  read(chunk: Buffer): string[] {
    return this.#take(this.#decoder.decode(chunk, { stream: true }));
  }

  end(): string[] {
    const lines = this.#take(this.#decoder.decode());
    if (this.#rest !== '') lines.push(this.#rest);
    this.#rest = '';
    return lines;
  }

  #take(text: string): string[] {
    if (text === '') return [];
    // the line ended at the CR; its LF may come with the next chunk
    const fresh = this.#afterReturn && text.startsWith('\n') ? text.slice(1) : text;
    this.#afterReturn = text.endsWith('\r');
    const lines = (this.#rest + fresh).split(/\r\n|\r|\n/);
    this.#rest = lines.pop() ?? '';
    return lines;
  }
}
