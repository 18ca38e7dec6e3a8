import { readFile } from 'node:fs/promises';
import { z } from 'zod';

const envSchema = z.record(z.string(), z.string());

/** The default environment of a sandbox's execs, as an earlier hostd kept it; none without the file. */
export async function readEnv(path: string): Promise<Record<string, string>> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  return envSchema.parse(JSON.parse(text));
}
