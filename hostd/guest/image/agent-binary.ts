import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { OffshootError } from '../../errors/offshoot-error.ts';
import { installation } from '../../platform/installation.ts';

/** hostd/guest/PROTOCOL.md. */
export const agentProtocolVersion = 1;

export interface AgentBinary {
  /** Read once: another make may replace the file while an image is built. */
  bytes: Buffer;
  /** The id that the agent itself reports. */
  build: string;
  /** SHA-256 of the file, hex. */
  digest: string;
}

/** Reads the built agent. Throws `image-build-failed` with the mending command when it is not there. */
export async function readAgentBinary(file = installation.agentPath): Promise<AgentBinary> {
  const bytes = await readFile(file).catch(() => undefined);
  if (bytes === undefined) {
    throw new OffshootError('image-build-failed', {
      message: `The guest agent is not built: ${file} is missing.`,
      hint: 'Run: npm run native',
    });
  }
  const build = /offshoot-agent ([0-9A-Za-z.+-]+)\n/.exec(bytes.toString('latin1'))?.[1] ?? 'unknown';
  return { bytes, build, digest: createHash('sha256').update(bytes).digest('hex') };
}
