/** Prints a value as one JSON document. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Prints one line of NDJSON. */
export function printJsonLine(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Lines up columns; an empty table prints its header alone, so a reader sees that there is nothing. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** How long ago or how long until, in the largest fitting unit: `42s`, `7m`, `3h`, `2d`. */
export function shortDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 120) return `${String(whole)}s`;
  if (whole < 7200) return `${String(Math.round(whole / 60))}m`;
  if (whole < 172_800) return `${String(Math.round(whole / 3600))}h`;
  return `${String(Math.round(whole / 86_400))}d`;
}

export function milliseconds(value: number | null | undefined): string {
  if (value == null) return '-';
  return value < 10_000 ? `${String(Math.round(value))} ms` : `${(value / 1000).toFixed(1)} s`;
}

/** A number of bytes in the largest fitting unit: `812 B`, `4.2 MiB`. */
export function byteSize(bytes: number): string {
  if (bytes < 1024) return `${String(bytes)} B`;
  let size = bytes / 1024;
  for (const unit of ['KiB', 'MiB', 'GiB']) {
    if (size < 1023.95) return `${size.toFixed(1)} ${unit}`;
    size /= 1024;
  }
  return `${size.toFixed(1)} TiB`;
}

/** A text that a guest may have chosen, without what a terminal takes for more than text. */
export function printable(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
}

/** Writes and waits while the reader is slow; resolves at once when the reader has gone. */
export async function writeAll(stream: NodeJS.WriteStream, bytes: Buffer | string): Promise<void> {
  if (stream.destroyed) return;
  await new Promise<void>((resolve) => {
    stream.write(bytes, () => {
      resolve();
    });
  });
}
