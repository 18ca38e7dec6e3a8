import { constants } from 'node:os';

type End = () => Promise<unknown>;

/** What has to be ended when a signal cuts the bench off, in the order it began. */
const endings: End[] = [];

/** Works on something that `end` ends afterwards. A signal has `cutOff` do that instead, which may not wait for the work: it is under way. */
export async function ending<T>(work: () => Promise<T>, end: End, cutOff: End = end): Promise<T> {
  const own = () => cutOff();
  endings.push(own);
  try {
    return await work();
  } finally {
    const index = endings.indexOf(own);
    if (index !== -1) {
      endings.splice(index, 1);
      await end();
    }
  }
}

/** Runs the bench. At SIGINT, SIGTERM or SIGHUP all that it has begun is ended, the newest first, and the process with it. */
export async function endedBySignals(bench: () => Promise<void>): Promise<void> {
  const cutOff = Promise.withResolvers<NodeJS.Signals>();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, cutOff.resolve);
  const done = bench();
  const signal = await Promise.race([done.then(() => undefined), cutOff.promise]);
  if (signal === undefined) return;
  // It fails now, as what it uses goes away.
  done.catch(() => undefined);
  console.error(`${signal}: ending what was started`);
  // All at once, for the work ends by itself what it still finds here; again, for it may have begun more meanwhile.
  for (let ends = endings.splice(0); ends.length > 0; ends = endings.splice(0)) {
    for (const end of ends.reverse()) {
      await end().catch((error: unknown) => {
        console.error(error);
      });
    }
  }
  process.exit(128 + constants.signals[signal]);
}
