/** The format of GITHUB_ENV, GITHUB_OUTPUT and GITHUB_STATE, by the rules of actions/runner src/Runner.Worker/FileCommandManager.cs. */

/** Name and value of each entry; throws at the first that is wrong, after the ones before it were given. */
export function* envFileEntries(text: string): Generator<[string, string]> {
  const reader = new TextReader(text);
  for (let line = reader.next(); line !== undefined; line = reader.next()) {
    if (line === '') continue;
    const equals = line.indexOf('=');
    const heredoc = line.indexOf('<<');
    if (equals >= 0 && (heredoc < 0 || equals < heredoc)) {
      yield [line.slice(0, equals), line.slice(equals + 1)];
    } else if (heredoc >= 0) {
      const name = line.slice(0, heredoc);
      const delimiter = line.slice(heredoc + 2);
      if (name === '' || delimiter === '') throw new Error(`no name or no delimiter in '${line}'`);
      yield [name, reader.until(delimiter)];
    } else {
      throw new Error(`neither NAME=VALUE nor NAME<<DELIMITER: '${line}'`);
    }
  }
}

/** Lines that end with LF; on Linux a CR belongs to the line. */
class TextReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  next(): string | undefined {
    if (this.#at >= this.#text.length) return undefined;
    const end = this.#text.indexOf('\n', this.#at);
    const line = this.#text.slice(this.#at, end < 0 ? undefined : end);
    this.#at = end < 0 ? this.#text.length : end + 1;
    return line;
  }

  /** Everything before the line that is the delimiter, without the last line end. */
  until(delimiter: string): string {
    const start = this.#at;
    for (;;) {
      const before = this.#at;
      const line = this.next();
      if (line === delimiter) return this.#text.slice(start, Math.max(start, before - 1));
      if (line === undefined) throw new Error(`the delimiter '${delimiter}' is missing`);
    }
  }
}
