import { Readable } from 'node:stream';
import type { ExecInfo, OffshootEvent, SandboxInfo, SnapshotInfo } from '../../contract/index.ts';
import { OffshootError } from '../../errors/offshoot-error.ts';
import type {
  EventService,
  ExecService,
  FileService,
  Host,
  ImageService,
  Metric,
  SandboxService,
  SnapshotService,
} from '../../sandbox/host.ts';
import {
  exampleEgressReport,
  exampleExec,
  exampleHost,
  exampleImage,
  exampleSandbox,
  exampleSnapshot,
} from './examples.ts';
import { FakeForks } from './fake-forks.ts';
import { FakeOutput } from './fake-output.ts';

interface FakeExec {
  info: ExecInfo;
  output: FakeOutput;
  input: Buffer[];
}

/** A host without machines, so that the HTTP surface can be tested alone. Its services may be replaced method by method. */
export class FakeHost implements Host {
  readonly machines = new Map<string, SandboxInfo>();
  readonly running = new Map<string, FakeExec>();
  readonly stored = new Map<string, Buffer>();
  readonly kept = new Map<string, SnapshotInfo>();
  readonly forks = new FakeForks(this.machines, this.kept);
  readonly past: OffshootEvent[] = [];
  readonly calls: unknown[][] = [];
  #eventWake = Promise.withResolvers<undefined>();
  #nextId = 1;

  sandboxes: SandboxService = {
    create: (request, options) => {
      this.calls.push(['create', request, options?.idempotencyKey]);
      const id = request.id ?? `sbx_${String(this.#nextId++)}`;
      const known = this.machines.get(id);
      if (known !== undefined) return Promise.resolve({ sandbox: known, created: false });
      const sandbox = exampleSandbox(id, request);
      this.machines.set(id, sandbox);
      return Promise.resolve({ sandbox, created: true });
    },
    get: (id) => Promise.resolve(this.machine(id)),
    list: (filter) => {
      this.calls.push(['list', filter]);
      return Promise.resolve([...this.machines.values()]);
    },
    renew: (id, timeoutSeconds, shorten) => {
      this.calls.push(['renew', id, timeoutSeconds, shorten]);
      return Promise.resolve({ ...this.machine(id), timeoutSeconds });
    },
    stop: (id) => {
      const tombstone: SandboxInfo = { ...this.machine(id), state: 'gone', end: { reason: 'stopped', message: '' } };
      this.machines.set(id, tombstone);
      return Promise.resolve(tombstone);
    },
    pause: (id, hibernateAfterSeconds) => {
      this.calls.push(['pause', id, hibernateAfterSeconds]);
      const hibernated = hibernateAfterSeconds === 0;
      return this.#change(id, { state: 'paused', paused: { since: '2030-01-01T00:00:00.000Z', hibernated } });
    },
    resume: (id) => {
      this.calls.push(['resume', id]);
      return this.#change(id, { state: 'running', paused: null });
    },
    fork: async (id, request, options) => {
      this.calls.push(['fork', id, request, options?.idempotencyKey]);
      return this.forks.start(this.machine(id), request, options?.idempotencyKey);
    },
    cancelFork: (forkId) => {
      this.calls.push(['cancel', forkId]);
      return this.forks.cancel(forkId);
    },
    setEgress: async (id, policy) => {
      this.calls.push(['egress', id, policy]);
      const egress = { ...policy, revision: this.machine(id).egress.revision + 1 };
      return (await this.#change(id, { egress })).egress;
    },
    egressReport: (id) => Promise.resolve(exampleEgressReport(this.machine(id))),
    console: (id) => Promise.resolve(`console of ${this.machine(id).id}\n`),
  };

  execs: ExecService = {
    start: (sandboxId, request) => {
      this.machine(sandboxId);
      this.calls.push(['start', sandboxId, request]);
      const id = request.id ?? `exe_${String(this.#nextId++)}`;
      const known = this.running.get(id);
      if (known !== undefined) return Promise.resolve({ exec: known.info, created: false });
      const info = exampleExec(id, sandboxId, request);
      this.running.set(id, { info, output: new FakeOutput(), input: [] });
      return Promise.resolve({ exec: info, created: true });
    },
    get: (_sandboxId, execId) => Promise.resolve().then(() => this.exec(execId).info),
    list: () => Promise.resolve([...this.running.values()].map(({ info }) => info)),
    output: (_sandboxId, execId, from, follow, signal) => this.exec(execId).output.read(from, follow, signal),
    input: async (_sandboxId, execId, offset, bytes, end) => {
      this.calls.push(['input', execId, offset, end]);
      let consumedBytes = offset;
      for await (const chunk of bytes) {
        this.exec(execId).input.push(chunk as Buffer);
        consumedBytes += (chunk as Buffer).length;
      }
      return { consumedBytes };
    },
    resize: (_sandboxId, execId, rows, cols) => {
      this.calls.push(['resize', execId, rows, cols]);
      return Promise.resolve();
    },
    signal: (_sandboxId, execId, signal) => {
      this.calls.push(['signal', execId, signal]);
      return Promise.resolve();
    },
  };

  files: FileService = {
    read: (_sandboxId, path) => Promise.resolve().then(() => Readable.from([this.file(path)], { objectMode: false })),
    write: async (_sandboxId, path, content, mode) => {
      const bytes = await collect(content);
      this.calls.push(['write', path, mode]);
      this.stored.set(path, bytes);
      return { sizeBytes: bytes.length };
    },
    list: (_sandboxId, path, recursive) => {
      this.calls.push(['list-files', path, recursive]);
      return Promise.resolve([entry('a', 1)]);
    },
    stat: (_sandboxId, path) => Promise.resolve().then(() => entry(path, this.file(path).length)),
    extract: async (_sandboxId, path, archive, owner) => {
      this.calls.push(['extract', path, owner]);
      return { entries: 1, bytes: (await collect(archive)).length, skipped: 0 };
    },
    archive: (_sandboxId, path, choice) => {
      this.calls.push(['archive', path, choice]);
      return Promise.resolve(Readable.from([Buffer.from('tar')], { objectMode: false }));
    },
  };

  images: ImageService = {
    list: () => Promise.resolve([exampleImage]),
    get: (name) => this.image(name),
    build: (request, onProgress) => {
      this.calls.push(['build', request]);
      onProgress({ step: 'base', done: 0, total: 1 });
      return Promise.resolve({ ...exampleImage, name: request.name });
    },
    remove: async (name) => void (await this.image(name)),
  };

  snapshots: SnapshotService = {
    create: async (sandboxId, request) => {
      this.calls.push(['snapshot', sandboxId, request]);
      const snapshot = exampleSnapshot(this.machine(sandboxId), request);
      if (this.kept.has(request.name)) throw new OffshootError('snapshot-exists');
      this.kept.set(request.name, snapshot);
      return Promise.resolve(snapshot);
    },
    list: () => Promise.resolve([...this.kept.values()]),
    get: (name) => Promise.resolve().then(() => this.snapshot(name)),
    remove: async (name) => {
      const { usedBy } = await Promise.resolve(this.snapshot(name));
      if (usedBy.length > 0) throw new OffshootError('snapshot-in-use', { details: { usedBy } });
      this.kept.delete(name);
    },
  };

  events: EventService = {
    stream: (options) => this.#stream(options),
    latestId: () => this.past.at(-1)?.id ?? 0,
  };

  info = () => Promise.resolve(exampleHost);

  metrics = (): Promise<Metric[]> =>
    Promise.resolve([
      {
        name: 'offshoot_sandboxes',
        help: 'By state.',
        type: 'gauge',
        values: [{ labels: { state: 'running' }, value: 3 }],
      },
    ]);

  emit(type: OffshootEvent['type'], sandboxId?: string): void {
    const id = this.past.length + 1;
    this.past.push({
      id,
      at: '2030-01-01T00:00:00.000Z',
      type,
      ...(sandboxId === undefined ? {} : { sandboxId }),
      data: {},
    });
    this.#wake();
  }

  #wake(): void {
    this.#eventWake.resolve(undefined);
    this.#eventWake = Promise.withResolvers<undefined>();
  }

  /** Ends an exec as a program that exited would. */
  endExec(execId: string, exitCode = 0): void {
    const exec = this.exec(execId);
    exec.info = { ...exec.info, state: 'ended', exitCode, outputBytes: exec.output.length };
    exec.output.end();
  }

  exec(execId: string): FakeExec {
    const exec = this.running.get(execId);
    if (exec === undefined) throw new OffshootError('exec-not-found', { message: `There is no exec ${execId}.` });
    return exec;
  }

  machine(id: string): SandboxInfo {
    const machine = this.machines.get(id);
    if (machine === undefined) throw new OffshootError('sandbox-not-found', { message: `There is no sandbox ${id}.` });
    return machine;
  }

  snapshot(name: string): SnapshotInfo {
    const snapshot = this.kept.get(name);
    if (snapshot === undefined)
      throw new OffshootError('snapshot-not-found', { message: `There is no snapshot ${name}.` });
    return snapshot;
  }

  async #change(id: string, changes: Partial<SandboxInfo>): Promise<SandboxInfo> {
    const changed: SandboxInfo = { ...this.machine(id), ...changes };
    this.machines.set(id, changed);
    return Promise.resolve(changed);
  }

  file(path: string): Buffer {
    const bytes = this.stored.get(path);
    if (bytes === undefined) throw new OffshootError('guest-file-not-found', { message: `There is no ${path}.` });
    return bytes;
  }

  image(name: string): Promise<typeof exampleImage> {
    if (name === exampleImage.name) return Promise.resolve(exampleImage);
    return Promise.reject(new OffshootError('image-not-found', { message: `There is no image ${name}.` }));
  }

  async *#stream(options: Parameters<EventService['stream']>[0]): AsyncGenerator<OffshootEvent> {
    const { afterId = 0, follow, sandboxId, signal } = options;
    signal.addEventListener('abort', () => this.#wake(), { once: true });
    for (let next = afterId; !signal.aborted;) {
      const event = this.past[next];
      if (event === undefined) {
        if (!follow) return;
        await this.#eventWake.promise;
        continue;
      }
      next += 1;
      if (sandboxId === undefined || event.sandboxId === sandboxId) yield event;
    }
  }
}

function entry(name: string, sizeBytes: number) {
  return { name, type: 'file', sizeBytes, mode: 0o644, uid: 0, gid: 0, mtimeMs: 0 } as const;
}

async function collect(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
