import type { Sandbox } from './sandbox.ts';

/** Renews a sandbox's lease while this process lives, so that a sandbox whose client died ends soon. */
export function keepLease(sandbox: Sandbox, timeoutSeconds: number): { stop: () => void } {
  const timer = setInterval(
    () => void sandbox.renew(timeoutSeconds).catch(() => undefined),
    (timeoutSeconds * 1000) / 4,
  );
  timer.unref();
  return {
    stop: () => {
      clearInterval(timer);
    },
  };
}
