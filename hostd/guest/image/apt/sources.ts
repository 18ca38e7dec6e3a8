/** One repository entry of apt, whichever format it was written in: sources.list(5). */
export interface AptSource {
  uris: readonly string[];
  suites: readonly string[];
  components: readonly string[];
  /** A keyring's path, or an inline key block. */
  signedBy?: string;
}

/** Parses `*.sources` files (deb822): disabled stanzas and those without type `deb` are left out. */
export function parseDeb822(text: string): AptSource[] {
  return stanzas(text).flatMap((fields) => {
    const words = (name: string) => (fields.get(name) ?? '').split(/\s+/).filter((word) => word !== '');
    if (!words('types').includes('deb') || isDisabled(fields.get('enabled'))) return [];
    const signedBy = fields.get('signed-by')?.trim();
    return [
      {
        uris: words('uris'),
        suites: words('suites'),
        components: words('components'),
        ...(signedBy === undefined || signedBy === '' ? {} : { signedBy }),
      },
    ];
  });
}

/** Parses `sources.list` files: one `deb [options] uri suite component...` a line. */
export function parseOneLine(text: string): AptSource[] {
  return text.split('\n').flatMap((raw) => {
    const line = raw.replace(/#.*$/, '').trim();
    const match = /^deb\s+(?:\[([^\]]*)\]\s*)?(\S+)\s+(\S+)\s*(.*)$/.exec(line);
    if (match === null) return [];
    const [, options = '', uri = '', suite = '', components = ''] = match;
    const signedBy = /(?:^|\s)signed-by=(\S+)/i.exec(options)?.[1];
    return [
      {
        uris: [uri],
        suites: [suite],
        components: components.split(/\s+/).filter((word) => word !== ''),
        ...(signedBy === undefined ? {} : { signedBy }),
      },
    ];
  });
}

/** Writes sources as deb822 text. */
export function renderDeb822(sources: readonly AptSource[]): string {
  return sources.map(renderStanza).join('\n');
}

function renderStanza(source: AptSource): string {
  const signedBy = source.signedBy === undefined ? '' : `Signed-By: ${indentInlineKey(source.signedBy)}\n`;
  return (
    `Types: deb\nURIs: ${source.uris.join(' ')}\nSuites: ${source.suites.join(' ')}\n` +
    `Components: ${source.components.join(' ')}\n${signedBy}`
  );
}

/** An inline key keeps the indentation it was parsed without on its first line only. */
function indentInlineKey(signedBy: string): string {
  if (!signedBy.includes('\n')) return signedBy;
  return signedBy.startsWith('-----') ? `\n ${signedBy}` : signedBy;
}

function stanzas(text: string): Map<string, string>[] {
  const found: Map<string, string>[] = [];
  let fields = new Map<string, string>();
  let last: string | undefined;
  for (const line of text.split('\n')) {
    if (line.startsWith('#')) continue;
    if (line.trim() === '') {
      if (fields.size > 0) found.push(fields);
      fields = new Map();
      last = undefined;
      continue;
    }
    if (/^[ \t]/.test(line)) {
      if (last !== undefined) fields.set(last, `${fields.get(last) ?? ''}\n${line}`);
      continue;
    }
    const colon = line.indexOf(':');
    if (colon < 1) continue;
    last = line.slice(0, colon).trim().toLowerCase();
    fields.set(last, line.slice(colon + 1).trim());
  }
  if (fields.size > 0) found.push(fields);
  return found;
}

function isDisabled(enabled: string | undefined): boolean {
  return enabled !== undefined && ['no', 'false', 'without', 'off', 'disable'].includes(enabled.trim().toLowerCase());
}
