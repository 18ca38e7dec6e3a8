import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { configSchema } from '../../hostd/daemon/config.ts';
import { systemParts } from '../../hostd/daemon/system-parts.ts';
import { linkArguments } from '../../hostd/sandbox/template/template-key.ts';
import { ending } from './endings.ts';
import { figure, type Figure } from './figures.ts';

/** The yardstick: the same image booted cold to the first output of the same command, without hostd around it. */
export async function measureColdBoot(
  stateDirectory: string,
  n: number,
  report: (figure: Figure) => void,
): Promise<void> {
  const config = configSchema.parse({ stateDirectory });
  const vmm = await systemParts.openVmm(config);
  const network = await systemParts.openNetwork(config);
  const { directory: imageDirectory, manifest } = await systemParts.openImages(config).get('default');
  const uid = config.sandboxes.uidBase + 9999;
  const taken: number[] = [];
  for (let i = 0; i < n; i += 1) {
    const directory = path.join(stateDirectory, `cold-boot-${String(i)}`);
    await mkdir(directory, { mode: 0o700 });
    const startedMs = performance.now();
    const starting = vmm.start(
      {
        directory,
        shape: { cpus: 1, memoryMiB: 512, diskMiB: manifest.diskMiB },
        uid,
        gid: config.sandboxes.vmmGid,
        network: { guestMac: network.link.guestMac, mtu: network.link.mtu },
        start: {
          kind: 'cold',
          kernel: path.join(imageDirectory, manifest.files.kernel),
          initramfs: path.join(imageDirectory, manifest.files.initramfs),
          kernelArguments: [...manifest.kernelArguments, ...linkArguments(network.link)],
          baseDisk: { path: path.join(imageDirectory, manifest.files.rootDisk), format: 'raw' },
        },
      },
      () => undefined,
    );
    const bootAndRun = async (): Promise<void> => {
      const vm = await starting;
      const guest = await systemParts.guests.connect({
        socketPath: vm.agentSocketPath,
        midStream: false,
        helloTimeoutMs: 60_000,
      });
      const argv = ['echo', 'hello'];
      const spec = { argv, env: {}, cwd: '/workspace', user: 'root', stdin: false };
      const exec = guest.exec(spec, { write: () => Promise.resolve() });
      await exec.result;
      taken.push(performance.now() - startedMs);
      guest.disconnect();
    };
    await ending(bootAndRun, async () => {
      await starting.then(
        (vm) => vm.kill(),
        () => undefined,
      );
      await rm(directory, { recursive: true, force: true });
    });
  }
  report(figure('cold boot to first output', 'ms', 'the yardstick', taken));
}
