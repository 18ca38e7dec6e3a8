import { stat } from 'node:fs/promises';

/** Whether a process is in the network namespace that this file stands for; false when either is gone. */
export async function isInNetns(pid: number, netnsPath: string): Promise<boolean> {
  const [own, asked] = await Promise.all([identityOf(`/proc/${String(pid)}/ns/net`), identityOf(netnsPath)]);
  return own !== undefined && own === asked;
}

async function identityOf(path: string): Promise<string | undefined> {
  const file = await stat(path, { bigint: true }).catch(() => undefined);
  return file && `${String(file.dev)} ${String(file.ino)}`;
}
