import { realpathSync } from 'node:fs';
import path from 'node:path';

/** The program behind `shell: offshoot {0}` that belongs to the running one: beside it in a bundle, in its folder in a checkout. */
export function shellEntry(started: string | undefined = process.argv[1]): string {
  const main = realpathSync(started ?? '');
  const folder = path.dirname(main);
  return main.endsWith('.ts') ? path.join(folder, 'shell/main.ts') : path.join(folder, 'shell.mjs');
}
