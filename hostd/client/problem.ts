import { problemSchema } from '../contract/problem.ts';
import { catalogue, type ErrorCode } from '../errors/catalogue.ts';
import { OffshootError } from '../errors/offshoot-error.ts';

function isKnownCode(code: string): code is ErrorCode {
  return Object.hasOwn(catalogue, code);
}

/** The error that an HTTP answer stands for. An answer that is no problem+json becomes `protocol-mismatch`. */
export function errorFromAnswer(status: number, body: string): OffshootError {
  const parsed = problemSchema.safeParse(parseJson(body));
  if (!parsed.success) {
    return new OffshootError('protocol-mismatch', {
      message: `The server answered ${String(status)} without a problem that this client understands.`,
      details: { status, body: body.slice(0, 500) },
    });
  }
  return errorFromProblem(parsed.data);
}

export function errorFromProblem(problem: {
  code: string;
  detail: string;
  hint: string;
  details: Record<string, unknown>;
  requestId?: string | undefined;
}): OffshootError {
  const details =
    problem.requestId === undefined ? problem.details : { ...problem.details, requestId: problem.requestId };
  if (isKnownCode(problem.code)) {
    return new OffshootError(problem.code, { message: problem.detail, hint: problem.hint, details });
  }
  return new OffshootError('protocol-mismatch', {
    message: problem.detail,
    hint: problem.hint,
    details: { ...details, code: problem.code },
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
