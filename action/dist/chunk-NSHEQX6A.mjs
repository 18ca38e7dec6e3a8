import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);

// hostd/platform/until-aborted.ts
function untilAborted(signal, promise, abandoned = () => void 0) {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      promise.then(abandoned, () => void 0);
      reject(signal.reason);
    };
    if (signal.aborted) {
      onAbort();
      return;
    }
    signal.addEventListener("abort", onAbort);
    promise.then(
      (value) => {
        signal.removeEventListener("abort", onAbort);
        resolve(value);
      },
      (error) => {
        signal.removeEventListener("abort", onAbort);
        reject(error);
      }
    );
  });
}

export {
  untilAborted
};
