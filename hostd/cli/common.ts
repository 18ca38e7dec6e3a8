import { InvalidArgumentError, type Command } from 'commander';
import type { ConnectionOptions } from '../client/transport.ts';

export interface CommonOptions {
  json?: true;
  host?: string;
  token?: string;
}

/** Adds a command that talks to a hostd: all of them take --json, --host and --token. */
export function clientCommand(parent: Command, usage: string, description: string): Command {
  return parent
    .command(usage)
    .description(description)
    .option('--json', 'print machine-readable JSON')
    .option(
      '--host <address>',
      'the hostd to talk to: unix:PATH or tcp:HOST:PORT (default: $OFFSHOOT_HOST, else unix:/run/offshoot/hostd.sock)',
    )
    .option('--token <token>', 'its token (default: $OFFSHOOT_TOKEN)');
}

/** The connection that the options ask for. */
export function connectionOf(options: CommonOptions): ConnectionOptions {
  return {
    ...(options.host === undefined ? {} : { host: options.host }),
    ...(options.token === undefined ? {} : { token: options.token }),
  };
}

/** Option parser for whole numbers of at least `least`. */
export function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < least) {
      throw new InvalidArgumentError(`must be a whole number of at least ${String(least)}`);
    }
    return value;
  };
}

/** Option parser that gathers repeated `NAME=VALUE`. */
export function keyValue(text: string, previous: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('must be NAME=VALUE');
  return { ...previous, [text.slice(0, at)]: text.slice(at + 1) };
}

/** Like keyValue; `NAME` alone takes the value from this process's environment, as docker does. */
export function envEntry(text: string, previous: Record<string, string> = {}): Record<string, string> {
  if (text.includes('=')) return keyValue(text, previous);
  const value = process.env[text];
  return value === undefined ? previous : { ...previous, [text]: value };
}

/** Option parser that gathers repeated values. */
export function repeated(text: string, previous: string[] = []): string[] {
  return [...previous, text];
}

/** Option parser for comma-separated and repeated values. */
export function commaSeparated(text: string, previous: string[] = []): string[] {
  return [...previous, ...text.split(',').filter((part) => part !== '')];
}
