import type { DoctorCheck } from '../contract/doctor.ts';
import type { HostdConfig } from '../daemon/config.ts';
import { requiredFreeMiB } from '../guest/image/host-tools.ts';
import type { DoctorHost } from './doctor-host.ts';
import { nearest } from './nearest.ts';

export async function checkDisk(host: DoctorHost, config: HostdConfig): Promise<DoctorCheck> {
  const folder = await nearest(host, config.stateDirectory);
  const { freeMiB } = await host.fileSystem(folder);
  const found = `${String(freeMiB)} MiB free for ${config.stateDirectory}`;
  return judgeSpace(found, freeMiB, config, folder);
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

export async function checkRunning(host: DoctorHost, config: HostdConfig): Promise<DoctorCheck> {
  const name = 'hostd';
  if (config.listen.kind === 'tcp')
    return { name, result: 'ok', found: `to listen on tcp port ${String(config.listen.port)}` };
  const running = await host.answers(config.listen.path);
  return { name, result: 'ok', found: `${running ? 'running' : 'not running'} at ${config.listen.path}` };
}
