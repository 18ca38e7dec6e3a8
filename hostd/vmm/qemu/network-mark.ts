import { readFile } from 'node:fs/promises';

/** Of a live VMM process, which is in the network namespace of its machine. undefined when it is gone. */
export async function networkMark(pid: number): Promise<string | undefined> {
  try {
    return `${String(pid)}${parseReceived(await readFile(`/proc/${String(pid)}/net/dev`, 'utf8'))}`;
  } catch {
    return undefined;
  }
}

/** From the text of net/dev: how many packets each interface received. */
export function parseReceived(text: string): string {
  return [...text.matchAll(/^\s*([^:\s]+):\s*\d+\s+(\d+)/gm)]
    .map(([, name, packets]) => ` ${name}=${packets}`)
    .join('');
}
