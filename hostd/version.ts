import { readFileSync } from 'node:fs';

const packageFile: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** Offshoot's version, from package.json. */
export const version: string =
  typeof packageFile === 'object' && packageFile !== null && 'version' in packageFile
    ? String(packageFile.version)
    : '0.0.0';
