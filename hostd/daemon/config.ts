import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { parseListenAddress, type ListenAddress } from '../api/address.ts';
import { readableIssues } from '../api/validation.ts';
import { isOffshootError, OffshootError } from '../errors/offshoot-error.ts';
import { networkConfigSchema } from '../net/config.ts';
import { hostConfigSchema } from '../sandbox/host-config.ts';

const count = z.int().min(1).max(1_000_000);
const milliseconds = z.int().min(1).max(86_400_000);

/** The `api` part: bounds of the HTTP surface; what is absent has the default of api/limits.ts. */
const apiConfigSchema = z.strictObject({
  jsonBodyBytes: z.int().min(1024).max(1_073_741_824).optional(),
  headersTimeoutMs: milliseconds.optional(),
  jsonBodyTimeoutMs: milliseconds.optional(),
  uploadIdleTimeoutMs: milliseconds.optional(),
  keepAliveMs: milliseconds.optional(),
  drainMs: milliseconds.optional(),
  maxConnections: count.optional(),
  maxFollowers: count.optional(),
  maxTransfers: count.optional(),
  maxBuilds: count.optional(),
});

const listenSchema = z.string().transform((text, context): ListenAddress => {
  try {
    return parseListenAddress(text);
  } catch (error) {
    const message = isOffshootError(error) ? error.message.replace(/^listen: (.*)\.$/, '$1') : 'is not an address';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  }
});

/** All of hostd's configuration: a JSON file, with flags and the environment over it. */
export const configSchema = z.strictObject({
  /** Where hostd keeps everything. */
  stateDirectory: z
    .string()
    .min(1)
    .max(1024)
    .default('/var/lib/offshoot')
    .transform((path) => resolve(path)),
  /** unix:PATH, or tcp:HOST:PORT on a loopback address. */
  listen: listenSchema.prefault('unix:/run/offshoot/hostd.sock'),
  /** Group, by name or id, that may use the unix socket besides root. Its members can do all that root can on this host. */
  socketGroup: z
    .union([z.string().regex(/^[a-z_][a-z0-9_-]{0,31}$/i, 'must be the name of a group'), z.int().min(0)])
    .optional(),
  logLevel: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
  /** Run no sandbox at all rather than under software emulation. */
  requireKvm: z.boolean().default(false),
  /** `off` emulates without asking KVM. */
  kvm: z.enum(['probe', 'off']).default('probe'),
  /** How long the probe that boots a tiny program under KVM may take. */
  kvmProbeDeadlineMs: milliseconds.default(3_000),
  api: apiConfigSchema.prefault({}),
  sandboxes: hostConfigSchema.prefault({}),
  network: networkConfigSchema.prefault({}),
});
export type HostdConfig = z.output<typeof configSchema>;

/** What the command line gives. */
export interface ConfigFlags {
  state?: string;
  listen?: string;
  config?: string;
  requireKvm?: boolean;
}

/**
 * Reads the configuration: flags, then OFFSHOOT_STATE, OFFSHOOT_LISTEN, OFFSHOOT_REQUIRE_KVM and OFFSHOOT_LOG_LEVEL, then the file that
 * --config or OFFSHOOT_CONFIG names, then the defaults. Throws `config-invalid` with details.issues.
 */
export async function loadConfig(flags: ConfigFlags = {}, env: NodeJS.ProcessEnv = process.env): Promise<HostdConfig> {
  const file = flags.config ?? nonEmpty(env.OFFSHOOT_CONFIG);
  const fromFile = file === undefined ? {} : await readConfigFile(file);
  const over = {
    stateDirectory: flags.state ?? nonEmpty(env.OFFSHOOT_STATE),
    listen: flags.listen ?? nonEmpty(env.OFFSHOOT_LISTEN),
    requireKvm: flags.requireKvm ?? readSwitch('OFFSHOOT_REQUIRE_KVM', env.OFFSHOOT_REQUIRE_KVM),
    logLevel: nonEmpty(env.OFFSHOOT_LOG_LEVEL),
  };
  const given = Object.fromEntries(Object.entries(over).filter(([, value]) => value !== undefined));
  return parseConfig({ ...fromFile, ...given }, file);
}

/** Checks a configuration. Throws `config-invalid`. */
export function parseConfig(value: unknown, file?: string): HostdConfig {
  const result = configSchema.safeParse(value);
  if (result.success) return result.data;
  const issues = readableIssues(result.error.issues);
  throw new OffshootError('config-invalid', {
    message: file === undefined ? 'The configuration is not valid.' : `The configuration in ${file} is not valid.`,
    details: { issues },
  });
}

async function readConfigFile(file: string): Promise<object> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw unreadable(file, `can not be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unreadable(file, `is not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw unreadable(file, 'is not a JSON object');
  return value;
}

function readSwitch(name: string, value: string | undefined): boolean | undefined {
  if (value === undefined || value === '') return undefined;
  if (value === '1' || value === 'true') return true;
  if (value === '0' || value === 'false') return false;
  throw new OffshootError('config-invalid', {
    message: `${name} must be 1, true, 0 or false.`,
    details: { issues: [{ path: name, message: 'must be 1, true, 0 or false' }] },
  });
}

function unreadable(file: string, message: string): OffshootError {
  return new OffshootError('config-invalid', {
    message: `The configuration file ${file} ${message}.`,
    details: { issues: [{ path: file, message }] },
  });
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}
