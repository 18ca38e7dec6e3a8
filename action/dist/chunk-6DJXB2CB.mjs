import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);

// hostd/client/keep-lease.ts
function keepLease(sandbox, timeoutSeconds) {
  const timer = setInterval(
    () => void sandbox.renew(timeoutSeconds).catch(() => void 0),
    timeoutSeconds * 1e3 / 4
  );
  timer.unref();
  return {
    stop: () => {
      clearInterval(timer);
    }
  };
}

export {
  keepLease
};
