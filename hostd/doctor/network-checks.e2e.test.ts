import { expect, test } from 'vitest';
import { checkKernelNetworking } from './network-checks.ts';
import { thisHost } from './doctor-host.ts';
import { runChecked, systemRunner } from '../platform/run.ts';
import { networkConfigSchema } from '../net/config.ts';
import { trialRules } from '../net/trial-rules.ts';

const config = networkConfigSchema.parse({});

test('an empty network namespace takes all rules, and has all of them then', async () => {
  const script = 'nft -f - && nft list ruleset';
  const input = trialRules(config).join('');
  const { stdout } = await runChecked(systemRunner, 'unshare', ['--net', '--', 'sh', '-c', script], { input });
  for (const chain of ['guard', 'source', 'judged_tcp']) expect(stdout).toContain(`chain ${chain} {`);
});

test('the doctor finds this kernel able to do it, and tells of one that is not', async () => {
  const checks = await checkKernelNetworking(thisHost(), config);
  expect(checks.filter(({ result }) => result !== 'ok')).toEqual([]);
  const { runner, ...host } = thisHost();
  const without = {
    ...host,
    runner: {
      ...runner,
      // As a kernel that does not know one of the keywords.
      run: (command: string, args: readonly string[], options?: { input?: string }) =>
        runner.run(command, args, { ...options, input: (options?.input ?? '').replaceAll('fib daddr', 'fibs daddr') }),
    },
  };
  const failed = (await checkKernelNetworking(without, config)).filter(({ result }) => result !== 'ok');
  expect(failed).toEqual([expect.objectContaining({ name: 'nftables', result: 'fail' })]);
});
