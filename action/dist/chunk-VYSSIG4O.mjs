import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);

// hostd/platform/fresh-run.ts
var FreshRun = class {
  #work;
  #current;
  #next;
  constructor(work) {
    this.#work = work;
  }
  /** Rejects as the work does. */
  run() {
    if (this.#next !== void 0) return this.#next;
    if (this.#current === void 0) return this.#start();
    this.#next = this.#current.catch(() => void 0).then(() => {
      this.#next = void 0;
      return this.#start();
    });
    return this.#next;
  }
  #start() {
    const run = this.#work().finally(() => {
      this.#current = void 0;
    });
    this.#current = run;
    return run;
  }
};

export {
  FreshRun
};
