import { stat } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { checkout, committedBundle } from './layout.ts';
import { makeBundle } from './make-bundle.ts';
import { filesOf } from './sums.ts';

/** npm run bundle [-- --into DIR]: makes the bundle, by default the one that is committed, and says what it weighs. */
const { values } = parseArgs({ options: { into: { type: 'string' } } });
const into = path.resolve(values.into ?? committedBundle);
await makeBundle(checkout, into);

let totalBytes = 0;
for (const file of await filesOf(into)) {
  const { size } = await stat(path.join(into, file));
  totalBytes += size;
  console.log(`${String(Math.ceil(size / 1024)).padStart(7)} KiB  ${file}`);
}
console.log(`${String(Math.ceil(totalBytes / 1024)).padStart(7)} KiB  in all, in ${into}`);
