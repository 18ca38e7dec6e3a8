import { systemRunner } from '../../../platform/run.ts';
import { NftPinWriter } from './nft-pin-writer.ts';
import { openResolverService } from './resolver-service.ts';
import { runHelper } from './run-helper.ts';

/** The resolver as a process of its own. The one argument is its folder; what it is to do comes over the control socket there. */
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('which folder?');
await runHelper('resolver', folder, () =>
  openResolverService(folder, (netnsPathOf) => new NftPinWriter(systemRunner, netnsPathOf)),
);
