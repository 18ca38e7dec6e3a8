import { expect, test } from 'vitest';
import { parsePolicy } from '../policy/parse-rules.ts';
import { openResolverService } from './resolver-service.ts';
import { logPinWriter } from './testing/log-pin-writer.ts';
import { testFolder } from './testing/test-folder.ts';

test('a sandbox is dropped when nothing is being written into its namespace any more: the name may soon be another one’s', async () => {
  const folder = await testFolder();
  const written = Promise.withResolvers<undefined>();
  const service = await openResolverService(folder, () => ({
    ...logPinWriter('/dev/null'),
    idle: () => written.promise,
  }));
  const sandbox = {
    sandboxId: 'sbx_one',
    sourceAddress: '127.0.0.2',
    netnsPath: '/run/netns/none',
    policy: parsePolicy('enforce', []),
    revision: 1,
  };
  await service.operations['setPolicies']?.({ sandboxes: [sandbox], others: 'drop', own: [], phase: 'final' });
  let isDropped = false;
  const dropping = service.operations['dropSandbox']?.({ sandboxId: 'sbx_one' }).then(() => (isDropped = true));
  await new Promise(setImmediate);
  expect([service.health().sandboxes, isDropped]).toEqual([0, false]);
  written.resolve(undefined);
  await dropping;
  await service.close();
});
