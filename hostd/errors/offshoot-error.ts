import { catalogue, type ErrorCode } from './catalogue.ts';

export interface OffshootErrorOptions {
  /** What happened, in one sentence, naming the thing at fault. */
  message?: string;
  /** What the reader can do; the catalogue's hint when absent. */
  hint?: string;
  /** Machine-readable facts; never secrets or env values. */
  details?: Record<string, unknown>;
  cause?: unknown;
}

const brand = Symbol.for('offshoot.error');

/** The one error that crosses module borders: a code of the catalogue with its message, hint and details. */
export class OffshootError extends Error {
  readonly [brand] = true;
  readonly code: ErrorCode;
  readonly hint: string;
  readonly details: Record<string, unknown>;

  constructor(code: ErrorCode, options: OffshootErrorOptions = {}) {
    super(options.message ?? catalogue[code].title, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'OffshootError';
    this.code = code;
    this.hint = options.hint ?? catalogue[code].hint;
    this.details = options.details ?? {};
  }

  get status(): number {
    return catalogue[this.code].status;
  }

  get retryable(): boolean {
    return catalogue[this.code].retryable;
  }
}

/** True for an OffshootError, also one made by another copy of this module. */
export function isOffshootError(value: unknown): value is OffshootError {
  return typeof value === 'object' && value !== null && brand in value;
}
