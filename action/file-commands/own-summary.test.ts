import { expect, test } from 'vitest';
import { mergeBack } from './merge.ts';
import { putAheadOfSummary } from './own-summary.ts';
import { RunnerFiles } from './testing/runner-files.ts';

const unclosed = [
  '<!--',
  '```',
  '~~~~\n',
  '<details>',
  '| a |\n|--|',
  '<div title="',
  '<pre>',
  '<?',
  '<![CDATA[',
  '# x\n\xff',
  '',
  '===',
];

test.each(unclosed)('what the guest leaves open, as %j, comes behind the text of the action', async (text) => {
  using runner = new RunnerFiles();
  const nothing = { outputs: [], env: [], path: [], warnings: [] };
  await mergeBack({ ...nothing, summary: Buffer.from(text, 'latin1') }, runner.env, () => undefined);
  await putAheadOfSummary('### Offshoot\n\n| a |\n', runner.env);
  expect(runner.bytes('GITHUB_STEP_SUMMARY').toString('latin1')).toBe(`### Offshoot\n\n| a |\n\n${text}`);
});

test('a runner without summaries is passed over; one that can not be written is an error', async () => {
  await putAheadOfSummary('x', {});
  await expect(putAheadOfSummary('x', { GITHUB_STEP_SUMMARY: '/nowhere/x' })).rejects.toMatchObject({
    code: 'local-file-error',
  });
});
