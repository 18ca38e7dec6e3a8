import path from 'node:path';
import { openResolverService } from '../resolver-service.ts';
import { runHelper } from '../run-helper.ts';
import { logPinWriter } from './log-pin-writer.ts';

/** The resolver's process, with a file in the place of packet filters. */
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('which folder?');
await runHelper('resolver', folder, () =>
  openResolverService(folder, () => logPinWriter(path.join(folder, 'written-pins'))),
);
