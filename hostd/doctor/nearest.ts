import { dirname } from 'node:path';
import type { DoctorHost } from './doctor-host.ts';

/** The closest folder on the way to a path that exists. */
export async function nearest(host: DoctorHost, path: string): Promise<string> {
  let folder = path;
  while (folder !== '/' && !(await host.exists(folder))) folder = dirname(folder);
  return folder;
}
