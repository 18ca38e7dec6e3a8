import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { sharedState } from '../../../../test/support/shared-image.ts';
import { createImageStore } from '../../../guest/image/image-store.ts';
import { runChecked, systemRunner } from '../../../platform/run.ts';
import type { ColdStart, Vm, VmLaunch, Vmm, VmSnapshotFiles } from '../../vmm.ts';
import { connectUnix } from '../unix-socket.ts';
import { buildNative, nativeDirectory } from './launch-folder.ts';

export const vmmUid = 64201;
export const vmmGid = 64200;
export const shape = { cpus: 1, memoryMiB: 512, diskMiB: 10240 };
export const card = { guestMac: '52:54:00:0f:f5:01', mtu: 1400 };

/** A line-by-line conversation with the test guest (native/test-guest) on the agent port. */
export class TestGuest {
  readonly #vm: Vm;
  readonly #socket: Socket;
  readonly #lines: AsyncIterator<string>;

  private constructor(vm: Vm, socket: Socket) {
    socket.on('error', () => undefined);
    this.#vm = vm;
    this.#socket = socket;
    this.#lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  }

  static async connect(vm: Vm): Promise<TestGuest> {
    return new TestGuest(vm, await connectUnix(vm.agentSocketPath));
  }

  /** Sends without waiting, for commands that end the machine. */
  tell(line: string): void {
    this.#socket.write(`${line}\n`);
  }

  /** Rejects when the machine ends instead of answering, and tells how it ended. */
  async ask(line: string): Promise<string> {
    this.tell(line);
    const answer = await this.#lines.next().catch((cause: unknown) => ({ done: true, value: cause }) as const);
    if (answer.done !== true) return answer.value;
    throw new Error(`the machine ended instead of answering: ${line}: ${await this.#end()}`, { cause: answer.value });
  }

  async #end(): Promise<string> {
    const exit = await Promise.race([this.#vm.exited, sleep(5000, undefined, { ref: false })]);
    return exit === undefined ? 'it is still there' : JSON.stringify(exit);
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** Machines of one test file: an image's kernel with the test guest as its init, and a folder for each machine. */
export class TestMachines implements AsyncDisposable {
  readonly folder: string;
  readonly #vmm: Vmm;
  readonly #boot: Omit<ColdStart, 'memoryFile'>;
  readonly #started: string[] = [];

  private constructor(vmm: Vmm, folder: string, boot: Omit<ColdStart, 'memoryFile'>) {
    this.#vmm = vmm;
    this.folder = folder;
    this.#boot = boot;
  }

  static async open(vmm: Vmm): Promise<TestMachines> {
    const image = await createImageStore({ stateDirectory: await sharedState() }).get('default');
    const { kernel, initramfs, rootDisk } = image.manifest.files;
    const folder = await mkdtemp(join(tmpdir(), 'qemu-e2e-'));
    const withTestInit = join(folder, 'initramfs');
    await writeFile(
      withTestInit,
      Buffer.concat([await readFile(join(image.directory, initramfs)), await testInit(folder)]),
    );
    return new TestMachines(vmm, folder, {
      kind: 'cold',
      kernel: join(image.directory, kernel),
      initramfs: withTestInit,
      kernelArguments: ['offshoot.test=1'],
      baseDisk: { path: join(image.directory, rootDisk), format: rootDisk.endsWith('.qcow2') ? 'qcow2' : 'raw' },
    });
  }

  coldStart(more: Partial<ColdStart> = {}): ColdStart {
    return { ...this.#boot, ...more };
  }

  async launch(name: string, start: VmLaunch['start'], more: Partial<VmLaunch> = {}): Promise<VmLaunch> {
    const directory = join(this.folder, name);
    await mkdir(directory);
    this.#started.push(directory);
    return { directory, shape, uid: vmmUid, gid: vmmGid, network: card, start, ...more };
  }

  async start(name: string, start: VmLaunch['start'], more: Partial<VmLaunch> = {}): Promise<Vm> {
    return this.#vmm.start(await this.launch(name, start, more), () => undefined);
  }

  async snapshotFiles(name: string): Promise<VmSnapshotFiles> {
    const directory = join(this.folder, name);
    await mkdir(directory);
    const at = (file: string) => join(directory, file);
    return {
      directory,
      memory: at('memory'),
      devices: at('devices'),
      disk: at('disk.qcow2'),
      overlaySeed: at('seed.qcow2'),
    };
  }

  /** Boots, prepares and freezes a machine. */
  async template(
    name: string,
    prepare: (guest: TestGuest) => Promise<void>,
    more: Partial<VmLaunch> = {},
  ): Promise<VmSnapshotFiles> {
    const into = await this.snapshotFiles(name);
    const vm = await this.start(`${name}-source`, this.coldStart({ memoryFile: into.memory }), more);
    const guest = await TestGuest.connect(vm);
    await prepare(guest);
    await vm.freezeInto(into);
    guest.close();
    return into;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const directory of this.#started) await this.#vmm.destroy(directory, undefined);
    await rm(this.folder, { recursive: true });
  }
}

// A later archive's /init takes the place of the agent's.
async function testInit(folder: string): Promise<Buffer> {
  buildNative('test-guest');
  const staging = join(folder, 'staging');
  await mkdir(staging);
  await copyFile(join(nativeDirectory, 'test-guest-init'), join(staging, 'init'));
  const archive = join(folder, 'init.cpio');
  await runChecked(systemRunner, 'cpio', ['-o', '-H', 'newc', '--quiet', '-O', archive], {
    cwd: staging,
    input: 'init\n',
  });
  return readFile(archive);
}
