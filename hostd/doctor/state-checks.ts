import { dirname } from 'node:path';
import type { DoctorCheck } from '../contract/doctor.ts';
import type { HostdConfig } from '../daemon/config.ts';
import { requiredFreeMiB } from '../guest/image/host-tools.ts';
import type { DoctorHost } from './doctor-host.ts';

export async function checkDisk(host: DoctorHost, config: HostdConfig): Promise<DoctorCheck[]> {
  const folder = await nearest(host, config.stateDirectory);
  const freeMiB = await host.diskFreeMiB(folder);
  const found = `${String(freeMiB)} MiB free for ${config.stateDirectory}`;
  return [judgeSpace(found, freeMiB, config, folder), await checkReflink(host, folder)];
}

function judgeSpace(found: string, freeMiB: number, config: HostdConfig, folder: string): DoctorCheck {
  const name = 'disk space';
  const mend = `Free space (df -h ${folder}), or give --state another directory.`;
  const leastMiB = config.sandboxes.minDiskFreeMiB;
  if (freeMiB < leastMiB)
    return { name, result: 'fail', found: `${found}; sandboxes need ${String(leastMiB)} MiB to be left`, mend };
  if (freeMiB < requiredFreeMiB)
    return { name, result: 'warn', found: `${found}; building an image needs ${String(requiredFreeMiB)} MiB`, mend };
  return { name, result: 'ok', found };
}

/** For information: with reflinks copies of disks cost nothing. */
async function checkReflink(host: DoctorHost, folder: string): Promise<DoctorCheck> {
  const name = 'reflinks';
  const works = await host.reflinks(folder);
  if (works === undefined) return { name, result: 'ok', found: `not checked: ${folder} can not be written to` };
  return {
    name,
    result: 'ok',
    found: works ? 'the file system has them' : 'the file system has none; nothing depends on them',
  };
}

/** The closest folder on the way to a path that exists. */
async function nearest(host: DoctorHost, path: string): Promise<string> {
  let folder = path;
  while (folder !== '/' && !(await host.exists(folder))) folder = dirname(folder);
  return folder;
}

export async function checkRunning(host: DoctorHost, config: HostdConfig): Promise<DoctorCheck> {
  const name = 'hostd';
  if (config.listen.kind === 'tcp')
    return { name, result: 'ok', found: `to listen on tcp port ${String(config.listen.port)}` };
  const running = await host.answers(config.listen.path);
  return { name, result: 'ok', found: `${running ? 'running' : 'not running'} at ${config.listen.path}` };
}
