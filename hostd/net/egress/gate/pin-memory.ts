import { readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { pinDocumentSchema, type PinDocument } from '../dns/pin-document.ts';

const fileSchema = z.strictObject({
  /** Monotonic milliseconds since the host booted. */
  savedMs: z.number(),
  bootId: z.string(),
  sandboxes: z.record(z.string(), pinDocumentSchema),
});

/**
 * What was pinned when a resolver died, for the next one: pins that flows use live on. Its loss costs that, and opens nothing. Written
 * without a sync: after a crash of the host no filter holds pins either.
 */
export async function savePins(
  path: string,
  now: { monotonicMs: number; bootId: string },
  sandboxes: Readonly<Record<string, PinDocument>>,
): Promise<void> {
  const content = { savedMs: now.monotonicMs, bootId: now.bootId, sandboxes } satisfies z.input<typeof fileSchema>;
  await writeFile(`${path}.new`, JSON.stringify(content), { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** Aged by the time since; none for a file that is missing, broken or of another boot. */
export async function loadPins(
  path: string,
  now: { monotonicMs: number; bootId: string },
): Promise<Map<string, PinDocument>> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const read = fileSchema.safeParse(parse(text));
  if (!read.success || read.data.bootId !== now.bootId) return new Map();
  const ageMs = Math.max(0, now.monotonicMs - read.data.savedMs);
  return new Map(
    Object.entries(read.data.sandboxes).map(([sandboxId, { version, pins }]) => {
      const left = pins.map((pin) => ({ ...pin, remainingMs: pin.remainingMs - ageMs }));
      return [sandboxId, { version, pins: left.filter(({ remainingMs }) => remainingMs > 0) }];
    }),
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
