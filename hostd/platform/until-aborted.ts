/** Rejects with the signal's reason as soon as it aborts; what the promise brings later is given to `abandoned`. */
export function untilAborted<Value>(
  signal: AbortSignal,
  promise: Promise<Value>,
  abandoned: (value: Value) => void = () => undefined,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      promise.then(abandoned, () => undefined);
      reject(signal.reason as Error);
    };
    if (signal.aborted) {
      onAbort();
      return;
    }
    signal.addEventListener('abort', onAbort);
    promise.then(
      (value) => {
        signal.removeEventListener('abort', onAbort);
        resolve(value);
      },
      (error: unknown) => {
        signal.removeEventListener('abort', onAbort);
        reject(error as Error);
      },
    );
  });
}
