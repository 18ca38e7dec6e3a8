import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { hostBootId, identifyProcess } from '../../../platform/process-identity.ts';
import { machineFiles, overlayFile } from '../machine-files.ts';
import { snapshotFormatVersion, writeMachineRecord, type MachineLayer, type MachineRecord } from '../machine-record.ts';

const commandSchema = z.object({
  execute: z.string(),
  arguments: z.record(z.string(), z.unknown()).optional(),
  id: z.number(),
});

/** A machine's folder with a monitor that plays QEMU's part: vCPUs, block nodes and jobs are a few variables. */
export class FakeQemu implements AsyncDisposable {
  readonly directory: string;
  /** Every command, in order, without those of connecting. */
  readonly commands: string[] = [];
  status = 'running';
  /** From the node in use down. */
  chain: string[];
  nodes: Set<string>;
  job = false;
  /** Refuses the next command of this name. */
  refuse: string | undefined;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(directory: string, chain: readonly MachineLayer[]) {
    this.directory = directory;
    this.chain = chain.map(({ node }) => node);
    this.nodes = new Set(this.chain);
    this.#server = createServer((socket) => this.#serve(socket));
  }

  /** `overlays` of the machine's own over a template of two layers. */
  static async start(overlays = 1): Promise<FakeQemu> {
    const directory = await mkdtemp(join(tmpdir(), 'fake-qemu-'));
    const record = machineRecord(overlays);
    const qemu = new FakeQemu(directory, record.chain);
    await writeMachineRecord(directory, record);
    for (const { path } of record.chain) await writeFile(join(directory, path), path);
    await writeFile(join(directory, machineFiles.overlaySeed), 'seed');
    const self = await identifyProcess(process.pid);
    const identity = `${String(process.pid)} ${String(self?.startTicks)} ${await hostBootId()}`;
    await writeFile(join(directory, machineFiles.vmmPid), identity);
    await new Promise<void>((resolve) => qemu.#server.listen(join(directory, machineFiles.qmpSocket), resolve));
    return qemu;
  }

  /** The running job is through: all went into the node in use. */
  endJob(): void {
    this.job = false;
    this.chain = [...this.chain.slice(0, 1), ...this.chain.slice(-2)];
    this.#event('BLOCK_JOB_COMPLETED');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
    await rm(this.directory, { recursive: true });
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.write('{"QMP": {}}\n');
    socket.on('data', (bytes) => {
      for (const line of bytes.toString().split('\n').filter(Boolean)) {
        const { execute, arguments: args = {}, id } = commandSchema.parse(JSON.parse(line));
        socket.write(`${JSON.stringify({ ...this.#answer(execute, args), id })}\n`);
      }
    });
  }

  #answer(name: string, args: Record<string, unknown>): Record<string, unknown> {
    if (name !== 'qmp_capabilities') this.commands.push(name);
    if (this.refuse === name) {
      this.refuse = undefined;
      return { error: { class: 'GenericError', desc: 'refused' } };
    }
    return { return: this.#obey(name, args) };
  }

  #obey(name: string, args: Record<string, unknown>): unknown {
    const node = String(args['node-name'] ?? args['overlay']);
    if (name === 'stop') this.status = 'paused';
    else if (name === 'cont') this.status = 'running';
    else if (name === 'blockdev-add') this.nodes.add(node);
    else if (name === 'blockdev-del') this.nodes.delete(node);
    else if (name === 'blockdev-snapshot') this.chain.unshift(node);
    else if (name === 'block-stream') this.job = true;
    else if (name === 'block-job-cancel') this.job = false;
    return this.#tell(name);
  }

  #tell(name: string): unknown {
    if (name === 'query-status') return { status: this.status, running: this.status === 'running' };
    if (name === 'query-block-jobs') return this.job ? [{ device: 'compact' }] : [];
    if (name === 'query-fdsets') return [{ 'fdset-id': 13 }];
    if (name === 'query-named-block-nodes') return [...this.nodes, '#block7'].map((each) => ({ 'node-name': each }));
    if (name !== 'query-block') return {};
    return [{ inserted: { 'node-name': this.chain[0], backing_file_depth: this.chain.length - 1 } }];
  }

  #event(name: string): void {
    for (const socket of this.#sockets) socket.write(`${JSON.stringify({ event: name, data: {} })}\n`);
  }
}

function machineRecord(overlays: number): MachineRecord {
  const own = Array.from({ length: overlays }, (_, at) => overlays - 1 - at);
  const chain: MachineLayer[] = [
    ...own.map((number) => ({
      path: overlayFile(number),
      node: `overlay-${String(number)}`,
      sealed: false,
      fdset: null,
    })),
    { path: 'layer-1.qcow2', node: 'layer-1', sealed: true, fdset: 20 },
    { path: 'layer-0.qcow2', node: 'layer-0', sealed: true, fdset: 21 },
  ].map((layer) => ({ ...layer, format: 'qcow2' }));
  const origin = {
    name: 'qemu',
    version: '7.2',
    machine: 'm',
    cpuModel: 'c',
    restoreKey: 'k',
    tier: 'emulated',
  } as const;
  return {
    formatVersion: snapshotFormatVersion,
    hardware: { origin, cpus: 1, memoryMiB: 1, link: null },
    ...{ uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, chain, foundation: 2, nextOverlay: overlays },
    ...{ capturable: true, paused: false, hibernated: null },
  };
}
