import { expect, test } from 'vitest';
import { useHostd } from './support/suite.ts';

const suite = useHostd({ sandboxes: { maxOutputBytesPerExec: 1_000_000 } });

test('output beyond the cap is cut, the exec goes on, and both are said', async () => {
  await using sandbox = await suite.create();
  const handle = await sandbox.spawn('head -c 5000000 /dev/zero; echo the end >&2; exit 3');
  let bytes = 0;
  for await (const chunk of handle.output()) bytes += chunk.bytes.length;
  expect(bytes).toBe(1_000_000);
  expect(await handle.wait()).toMatchObject({ exitCode: 3, truncated: true, outputBytes: 1_000_000 });
  expect(await sandbox.exec('head -c 2000000 /dev/zero')).toMatchObject({ truncated: true });
});
