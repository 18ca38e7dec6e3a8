/** This process does nothing for so long, as when it is stopped or starved: what comes meanwhile waits in its sockets. */
export function standStill(durationMs: number): void {
  const untilMs = performance.now() + durationMs;
  while (performance.now() < untilMs);
}
