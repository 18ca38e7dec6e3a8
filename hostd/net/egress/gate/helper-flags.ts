/**
 * Helpers stream much and keep little: a small young generation and a bounded old one keep them small. The third bounds what has come and
 * gone through sockets before memory is reused; V8 takes it from what a young generation may have at most, whatever this one has. The last
 * spares machine code: 200 connections run much code a few times.
 */
export const helperFlags = [
  '--max-semi-space-size=1',
  '--max-old-space-size=64',
  '--scavenger-max-new-space-capacity-mb=1',
  '--optimize-for-size',
] as const;

/** Of glibc (mallopt(3)): one arena, not one per thread, so that what a thread frees is there for the others. With the flag above 10 MiB of 102 under 200 connections. */
export const helperEnvironment = { MALLOC_ARENA_MAX: '1' } as const;

/** Node for a helper: as it was started for hostd itself, in helpers' size. */
export function helperNode(): string[] {
  const quiet = '--disable-warning=ExperimentalWarning';
  const inherited = process.execArgv.filter((flag) => flag !== quiet);
  return [process.execPath, quiet, ...inherited, ...helperFlags];
}
