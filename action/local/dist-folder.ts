import path from 'node:path';

/** Holds the bundled hostd, its binaries and their sums. */
export const distFolder = path.join(import.meta.dirname, '../dist');
