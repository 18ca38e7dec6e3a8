import { whatIsMissing, type ToolName } from './tools.ts';

/** Suites that need a program of others. */
const suites: Record<string, ToolName> = {
  'test/act/act.e2e.test.ts': 'act',
  'test/act/actionlint.e2e.test.ts': 'actionlint',
  'test/act/shellcheck.e2e.test.ts': 'shellcheck',
  'test/act/zizmor.e2e.test.ts': 'zizmor',
};

export interface Unavailable {
  suite: string;
  reason: string;
}

/**
 * Suites that cannot run on this machine, so that `npm test` can leave them out and say so. With OFFSHOOT_REQUIRE_ALL_TOOLS=1, as in CI,
 * there are none: they run and fail.
 */
export async function unavailableSuites(): Promise<Unavailable[]> {
  if (process.env['OFFSHOOT_REQUIRE_ALL_TOOLS'] === '1') return [];
  const found = await Promise.all(
    Object.entries(suites).map(async ([suite, name]) => ({ suite, name, missing: await whatIsMissing(name) })),
  );
  return found.flatMap(({ suite, name, missing }) =>
    missing === undefined ? [] : [{ suite, reason: `${name}: ${missing}` }],
  );
}
