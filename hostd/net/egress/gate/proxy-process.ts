import { openProxyService } from './proxy-service.ts';
import { runHelper } from './run-helper.ts';

/** The proxy as a process of its own. The one argument is its folder; what it is to do comes over the control socket there. */
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('which folder?');
await runHelper('proxy', folder, () => openProxyService(folder));
