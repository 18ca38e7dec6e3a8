import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { OffshootError } from '../hostd/errors/offshoot-error.ts';

/** A sandbox that several steps of one job use. */
export const sessionSchema = z.object({
  version: z.literal(1),
  sandboxId: z.string(),
  host: z.string(),
  workspace: z.string(),
  shell: z.string(),
  /** The `env` input of the step that made it. */
  env: z.string(),
  /** What the names in it stood for in that step; a later step's own value wins. */
  named: z.record(z.string(), z.string()),
  timeoutMs: z.number(),
  leaseSeconds: z.number(),
  sync: z.boolean(),
  syncExclude: z.array(z.string()),
  artifacts: z.array(z.string()),
  /** On the runner, absolute. */
  artifactsFolder: z.string(),
  keepMinutes: z.number(),
  failOnEgressDenied: z.boolean(),
  /** Denials that a step has been failed for already. */
  deniedSeen: z.number(),
  /** What steps in the sandbox added to PATH and to the environment, oldest first. */
  pathEntries: z.array(z.string()),
  envEntries: z.array(z.object({ name: z.string(), value: z.string() })),
  /** The snapshot that was kept when a step failed. */
  kept: z.object({ snapshot: z.string(), minutes: z.number(), command: z.string() }).optional(),
  /** How the first step that failed ended, for the summary. */
  failure: z.string().optional(),
  timings: z.record(z.string(), z.number()),
});
export type Session = z.output<typeof sessionSchema>;

/** Set by the step that made the sandbox; another step's `env` may name another one of the job. */
export const sessionVariable = 'OFFSHOOT_SANDBOX';

export function sessionFolder(tempFolder: string): string {
  return path.join(tempFolder, 'offshoot');
}

export function sessionFile(tempFolder: string, sandboxId: string): string {
  return path.join(sessionFolder(tempFolder), `${sandboxId}.json`);
}

/** For the runner's user only: values of the `env` input may be secrets. */
export async function writeSession(file: string, session: Session): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const partial = `${file}.${String(process.pid)}`;
  await writeFile(partial, JSON.stringify(session), { mode: 0o600 });
  await rename(partial, file);
}

/** Throws `usage` when there is none. */
export async function readSession(file: string): Promise<Session> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text !== undefined) return parseSession(text, file);
  throw new OffshootError('usage', {
    message: `There is no sandbox ${path.basename(file, '.json')} of this job for the shell offshoot {0}.`,
    hint: `Put a step with \`uses: .../offshoot\` and without \`run\` before this one; ${sessionVariable} names its sandbox.`,
  });
}

function parseSession(text: string, file: string): Session {
  try {
    return sessionSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new OffshootError('local-file-error', { message: `${file} is damaged.`, cause: error });
  }
}

export async function removeSession(file: string): Promise<void> {
  await rm(file, { force: true });
}
