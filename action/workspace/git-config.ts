export interface ConfigEntry {
  /** Lower case. */
  section: string;
  subsection: string | undefined;
  /** Lower case. */
  key: string;
  /** Undefined for a key that stands alone, which means true. */
  value: string | undefined;
}

const escapes: Partial<Record<string, string>> = { n: '\n', t: '\t', b: '\b', '\\': '\\', '"': '"' };

/**
 * The entries of a git config file in order, or undefined when git would not read it. Text is a character for each byte (`latin1`).
 * The syntax: https://git-scm.com/docs/git-config#_syntax, and where that is silent what git does.
 */
export function parseGitConfig(text: string): ConfigEntry[] | undefined {
  if (text.includes('\0')) return undefined;
  const parser = new Parser(text.replace(/^\xef\xbb\xbf/, '').replaceAll('\r\n', '\n'));
  return parser.parse();
}

/** A config file with these entries; comments and layout of the file they came from are not kept. */
export function writeGitConfig(entries: readonly ConfigEntry[]): string {
  let header = '';
  let text = '';
  for (const { section, subsection, key, value } of entries) {
    const quoted = subsection === undefined ? '' : ` "${subsection.replaceAll(/[\\"]/g, '\\$&')}"`;
    const next = `[${section}${quoted}]\n`;
    if (next !== header) text += next;
    header = next;
    text += value === undefined ? `\t${key}\n` : `\t${key} = "${escapeValue(value)}"\n`;
  }
  return text;
}

function escapeValue(value: string): string {
  return value.replaceAll(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\b', '\\b');
}

class Parser {
  readonly #text: string;
  readonly #entries: ConfigEntry[] = [];
  #at = 0;
  #section: { section: string; subsection: string | undefined } | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): ConfigEntry[] | undefined {
    for (;;) {
      this.#match(/[ \t\n\r]*/y);
      if (this.#at >= this.#text.length) return this.#entries;
      if (this.#match(/[#;][^\n]*/y) !== undefined) continue;
      const read = this.#text[this.#at] === '[' ? this.#readHeader() : this.#readEntry();
      if (!read) return undefined;
    }
  }

  #readHeader(): boolean {
    const plain = this.#match(/\[([a-zA-Z0-9.-]+)\]/y);
    if (plain?.[1] !== undefined) {
      const [section = '', ...rest] = plain[1].toLowerCase().split('.');
      this.#section = { section, subsection: rest.length === 0 ? undefined : rest.join('.') };
      return section !== '';
    }
    const quoted = this.#match(/\[([a-zA-Z0-9.-]+)[ \t]+"((?:[^"\\\n]|\\[^\n])*)"\]/y);
    if (quoted?.[1] === undefined || quoted[2] === undefined) return false;
    // a dot in front of a quoted subsection is a part of the subsection to git: too odd to promise anything
    if (quoted[1].includes('.')) return false;
    this.#section = { section: quoted[1].toLowerCase(), subsection: quoted[2].replaceAll(/\\(.)/g, '$1') };
    return true;
  }

  #readEntry(): boolean {
    const key = this.#match(/([a-zA-Z][a-zA-Z0-9-]*)[ \t]*/y)?.[1];
    if (key === undefined || this.#section === undefined) return false;
    const entry = { ...this.#section, key: key.toLowerCase() };
    if (this.#at === this.#text.length || this.#text[this.#at] === '\n') {
      this.#entries.push({ ...entry, value: undefined });
      return true;
    }
    if (this.#match(/=/y) === undefined) return false;
    const value = this.#readValue();
    if (value === undefined) return false;
    this.#entries.push({ ...entry, value });
    return true;
  }

  #readValue(): string | undefined {
    let value = '';
    let spaces = ''; // outside quotes; only counts when something follows
    let isQuoted = false;
    for (; this.#at < this.#text.length; this.#at += 1) {
      let character = this.#text[this.#at] ?? '';
      if (character === '\n') break;
      if (!isQuoted && /[ \t\r]/.test(character)) {
        if (value !== '') spaces += character;
        continue;
      }
      if (!isQuoted && /[#;]/.test(character)) {
        this.#match(/[^\n]*/y);
        break;
      }
      if (character === '\\') {
        this.#at += 1;
        const escaped = this.#text[this.#at] ?? '\n';
        if (escaped === '\n') {
          value += spaces; // what stands before a line that goes on is no end of one
          spaces = '';
          continue;
        }
        const meant = escapes[escaped];
        if (meant === undefined) return undefined;
        character = meant;
      } else if (character === '"') {
        isQuoted = !isQuoted;
        character = '';
      }
      value += spaces + character;
      spaces = '';
    }
    return isQuoted ? undefined : value;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return undefined;
    this.#at = pattern.lastIndex;
    return found;
  }
}
