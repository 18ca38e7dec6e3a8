import { z } from 'zod';
import {
  envSchema,
  execIdSchema,
  maxEnvStringBytes,
  queryIntegerSchema,
  querySwitchSchema,
  sandboxIdSchema,
  timestampSchema,
} from './common.ts';

const argument = z
  .string()
  .refine((value) => !value.includes('\0'), 'must not contain NUL')
  .refine(
    (value) => Buffer.byteLength(value) <= maxEnvStringBytes,
    `must be at most ${String(maxEnvStringBytes)} bytes`,
  );

export const ptySizeSchema = z.strictObject({
  rows: z.number().int().min(1).max(10_000),
  cols: z.number().int().min(1).max(10_000),
});

export const createExecSchema = z
  .strictObject({
    /** Chosen by the client to make the start idempotent. */
    id: execIdSchema.optional(),
    /** Program and arguments, passed as they are. */
    argv: z.array(argument).min(1).max(4000).optional(),
    /** Or a text for /bin/sh -c. */
    shell: z
      .string()
      .min(1)
      .max(1_048_576)
      .refine((value) => !value.includes('\0'), 'must not contain NUL')
      .optional(),
    env: envSchema.default({}),
    cwd: z
      .string()
      .min(1)
      .max(4096)
      .refine((value) => !value.includes('\0'), 'must not contain NUL')
      .default('/workspace'),
    user: z
      .string()
      .min(1)
      .max(255)
      .regex(/^[^\0:\n]+(:[^\0:\n]+)?$/, 'must be a name, a uid or uid:gid')
      .default('root'),
    pty: ptySizeSchema.optional(),
    /** Whether input will be sent; else the program reads /dev/null. */
    stdin: z.boolean().default(false),
    /** The exec timeout: SIGTERM, then SIGKILL two seconds later. */
    timeoutMs: z.number().int().min(1).max(604_800_000).optional(),
  })
  .refine((exec) => (exec.argv === undefined) !== (exec.shell === undefined), 'give either argv or shell');
export type CreateExec = z.infer<typeof createExecSchema>;
export type CreateExecInput = z.input<typeof createExecSchema>;

export const execFailureSchema = z.enum([
  'command-not-found',
  'not-executable',
  'cwd-missing',
  'user-missing',
  'spawn-failed',
  'stream-lost',
  'sandbox-ended',
  /** Its time was up and the guest did not end it: hostd did. */
  'guest-unresponsive',
  /** It goes on in the sandbox this one was forked from; its processes live on here, unheard. */
  'forked',
]);

export const execSchema = z.object({
  id: execIdSchema,
  sandboxId: sandboxIdSchema,
  state: z.enum(['running', 'ended']),
  /** For people: the argv joined, or the shell text, cut at 200 characters. */
  command: z.string(),
  cwd: z.string(),
  user: z.string(),
  pty: z.boolean(),
  stdin: z.boolean(),
  startedAt: timestampSchema,
  endedAt: timestampSchema.nullable(),
  /** 0..255 as a shell would say it: 126, 127, 128+n for a signal. null while it runs or when it was lost. */
  exitCode: z.number().int().nullable(),
  /** Name of the signal that ended it, for example SIGKILL. */
  signal: z.string().nullable(),
  timedOut: z.boolean(),
  oomKilled: z.boolean(),
  failure: z.object({ code: execFailureSchema, message: z.string() }).nullable(),
  /** Output kept on disk, stdout and stderr together. */
  outputBytes: z.number().int(),
  /** True when there was more output than the host keeps. */
  truncated: z.boolean(),
  usage: z.object({ userCpuMs: z.number(), systemCpuMs: z.number(), peakMemoryKiB: z.number() }).nullable(),
});
export type ExecInfo = z.infer<typeof execSchema>;
export const execListSchema = z.object({ execs: z.array(execSchema) });

/** GET .../output?from=0&follow=1 */
export const outputQuerySchema = z.object({
  from: queryIntegerSchema.default(0),
  follow: querySwitchSchema,
});

/**
 * A line of the NDJSON output. `offset` is that of the first byte, counting both streams together; data is `text` when it is
 * whole UTF-8, else `base64`. The last line of a followed or ended exec is `end`. Empty objects are keep-alives.
 */
export const outputLineSchema = z.union([
  z.strictObject({ stream: z.enum(['stdout', 'stderr']), offset: z.number().int(), text: z.string() }),
  z.strictObject({ stream: z.enum(['stdout', 'stderr']), offset: z.number().int(), base64: z.string() }),
  z.strictObject({ end: execSchema }),
  z.strictObject({}),
]);
export type OutputLine = z.infer<typeof outputLineSchema>;

/**
 * The binary form, chosen by `Accept: application/vnd.offshoot.output`: frames of u8 kind (0 keep-alive, 1 stdout, 2 stderr, 3 end: JSON of the exec),
 * u32 little-endian length, bytes. Offsets follow from the request's `from`; should bytes be missing, a frame of kind 4 (u64 little-endian) gives the offset of what follows.
 */
export const outputFrameMediaType = 'application/vnd.offshoot.output';

/** PUT .../input?offset=0&end=1 with the bytes as body; answers what the guest has consumed. */
export const inputQuerySchema = z.object({
  offset: queryIntegerSchema,
  end: querySwitchSchema,
});
export const inputResultSchema = z.object({ consumedBytes: z.number().int() });

export const signalSchema = z.strictObject({
  signal: z.enum([
    'SIGHUP',
    'SIGINT',
    'SIGQUIT',
    'SIGKILL',
    'SIGUSR1',
    'SIGUSR2',
    'SIGTERM',
    'SIGCONT',
    'SIGSTOP',
    'SIGTSTP',
    'SIGWINCH',
  ]),
});
