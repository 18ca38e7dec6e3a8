/**
 * Ends the process with its exit code once all that was written has left it: what goes into a pipe whose reader is slow waits in memory, and
 * `process.exit` alone would lose it. Idle connections do not hold it back.
 */
export async function leave(): Promise<never> {
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise<void>((resolve) => stream.write('', () => resolve()));
  }
  process.exit();
}
