import { OffshootError } from '../../errors/offshoot-error.ts';
import { encodeFields, type Field } from '../protocol/fields.ts';
import { maxOpenBytes, maxOpenFields } from '../protocol/frame.ts';
import type { GuestExecSpec } from '../guest.ts';

/** OPEN's fields, checked against the protocol's bounds. Throws `invalid-request`. */
export function openFields(kind: string, parameters: readonly Field[]): Buffer {
  const fields: Field[] = [['kind', kind], ...parameters];
  if (fields.length > maxOpenFields)
    throw invalid(`Arguments and environment have more than ${String(maxOpenFields)} entries in all.`);
  for (const [key, value] of fields)
    if (typeof value === 'string' && value.includes('\0'))
      throw invalid(`The ${names.get(key) ?? key} holds a NUL character, which no program can be given.`);
  const encoded = encodeFields(fields);
  if (encoded.length > maxOpenBytes)
    throw invalid(
      `Command, arguments and environment take ${String(encoded.length)} bytes; the sandbox takes ${String(maxOpenBytes)}.`,
      'Send the script as a file, or large content through stdin.',
    );
  return encoded;
}

const names = new Map([
  ['arg', 'argument'],
  ['env', 'environment'],
  ['shell', 'command'],
  ['cwd', 'working directory'],
]);

function invalid(message: string, hint?: string): OffshootError {
  return new OffshootError('invalid-request', {
    message,
    ...(hint === undefined ? {} : { hint }),
    details: { issues: [{ message }] },
  });
}

/** The parameters of an exec. */
export function execParameters(spec: GuestExecSpec): Field[] {
  return [
    ...(spec.argv ?? []).map((argument): Field => ['arg', argument]),
    ...optional('shell', spec.shell),
    ...Object.entries(spec.env).map(([name, value]): Field => ['env', `${name}=${value}`]),
    ['cwd', spec.cwd],
    ['user', spec.user],
    ...(spec.pty === undefined ? [] : ptyParameters(spec.pty)),
    ...flag('stdin', spec.stdin),
    ...optional('timeout-ms', spec.timeoutMs),
  ];
}

function ptyParameters(pty: { rows: number; cols: number }): Field[] {
  return [
    ['pty', 1],
    ['rows', pty.rows],
    ['cols', pty.cols],
  ];
}

export function optional(key: string, value: string | number | undefined): Field[] {
  return value === undefined ? [] : [[key, value]];
}

export function flag(key: string, on: boolean | undefined): Field[] {
  return on === true ? [[key, 1]] : [];
}
