/** Helpers stream much and keep little: a small young generation and a bounded old one keep them small. */
export const helperFlags = ['--max-semi-space-size=1', '--max-old-space-size=64'] as const;

/** Node for a helper: as it was started for hostd itself, in helpers' size. */
export function helperNode(): string[] {
  const quiet = '--disable-warning=ExperimentalWarning';
  const inherited = process.execArgv.filter((flag) => flag !== quiet);
  return [process.execPath, quiet, ...inherited, ...helperFlags];
}
