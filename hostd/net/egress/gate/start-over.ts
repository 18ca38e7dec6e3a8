import { flushCompileCache, getCompileCacheDir } from 'node:module';
import { z } from 'zod';

/** In the environment of a program that started over. */
const mark = 'OFFSHOOT_STARTED_OVER';
const typeStripper = 'NativeModule internal/deps/amaro/dist/index';
const loadedSchema = z.object({ moduleLoadList: z.array(z.string()) });

/**
 * Where Node had to strip types from files of this program, begins it anew in the same process, once: what strips them stays in memory, some
 * 25 MiB, and with the files in the compile cache it is not needed. To be called when all is imported and nothing was begun.
 */
export function startOverFromCache(): void {
  const isSecond = process.env[mark] !== undefined;
  Reflect.deleteProperty(process.env, mark);
  if (isSecond || !hasStrippedTypes() || getCompileCacheDir() === undefined) return;
  flushCompileCache();
  const [program, ...args] = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  process.execve?.(program, [program, ...args], { ...process.env, [mark]: '1' });
}

/** Node tells this nowhere else; one that does not tell goes on as it is. */
function hasStrippedTypes(): boolean {
  const loaded = loadedSchema.safeParse(process);
  return loaded.success && loaded.data.moduleLoadList.includes(typeStripper);
}
