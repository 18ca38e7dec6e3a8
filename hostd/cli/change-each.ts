import { Sandbox } from '../client/sandbox.ts';
import type { SandboxInfo } from '../contract/sandbox.ts';
import { connectionOf, type CommonOptions } from './common.ts';
import { printJson } from './print.ts';

/** Does something to sandboxes, one after the other; each id is printed when it is done. */
export async function changeEach(
  ids: readonly string[],
  options: CommonOptions,
  change: (sandbox: Sandbox) => Promise<SandboxInfo>,
): Promise<void> {
  const changed: SandboxInfo[] = [];
  for (const id of ids) {
    const sandbox = await Sandbox.connect(id, connectionOf(options));
    changed.push(await change(sandbox));
    await sandbox.disconnect();
    if (options.json !== true) process.stdout.write(`${id}\n`);
  }
  if (options.json === true) printJson({ sandboxes: changed });
}
