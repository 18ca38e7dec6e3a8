import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { OffshootError } from '../errors/offshoot-error.ts';
import { FakeGuestConnector } from './fake-guest.ts';
import type { ExecSink, GuestExecSpec } from './guest.ts';

const options = { socketPath: '/run/a.sock', midStream: false, helloTimeoutMs: 50 };
const spec: GuestExecSpec = { argv: ['/bin/cat'], env: {}, cwd: '/workspace', user: 'root', stdin: true };

function collect(): ExecSink & { text: string; offsets: number[] } {
  return {
    text: '',
    offsets: [],
    async write(channel, offset, bytes) {
      this.text += `${channel}:${bytes.toString()};`;
      this.offsets.push(offset);
    },
  };
}

test('a scripted exec answers its input on both channels', async () => {
  const connector = new FakeGuestConnector();
  connector.machine(options.socketPath).script = async (control) => {
    for (let input = await control.readInput(); input !== null; input = await control.readInput())
      await control.stdout(input);
    await control.stderr('bye');
    return { exitCode: 3 };
  };
  const guest = await connector.connect(options);
  const sink = collect();
  const exec = guest.exec(spec, sink);
  await exec.write(Buffer.from('hello'));
  exec.endInput();
  expect(await exec.result).toMatchObject({ exitCode: 3, signalNumber: null });
  expect(sink.text).toBe('stdout:hello;stderr:bye;');
  expect(sink.offsets).toEqual([0, 5]);
  expect(exec.inputConsumedBytes).toBe(5);
  await expect(exec.write(Buffer.from('x'))).rejects.toMatchObject({ code: 'exec-ended' });
});

test('output not acknowledged before a disconnect comes again to the adopter', async () => {
  const connector = new FakeGuestConnector();
  connector.machine(options.socketPath).script = async (control) => {
    await control.stdout('one');
    await control.stdout('two');
    await control.nextSignal();
    return { exitCode: null, signalNumber: 15 };
  };
  const first = await connector.connect(options);
  const stuck = first.exec(spec, {
    write: (_channel, offset) => (offset === 0 ? Promise.resolve() : new Promise(() => {})),
  });
  await new Promise(setImmediate);
  first.disconnect();
  expect(await first.closed).toBe('disconnected');
  await expect(stuck.result).rejects.toMatchObject({ code: 'shutting-down' });
  const second = await connector.connect({ ...options, midStream: true });
  expect(second.hello.streams).toMatchObject([{ id: stuck.streamId, baseOffset: 3, lengthBytes: 6, ended: false }]);
  const sink = collect();
  const adopted = second.adoptExec(stuck.streamId, 3, sink);
  adopted?.signal(15);
  expect(await adopted?.result).toMatchObject({ signalNumber: 15 });
  expect(sink.text).toBe('stdout:two;');
  expect(second.reserveStreamId()).toBe(stuck.streamId + 1);
  adopted?.close();
  expect((await connector.connect(options)).hello.streams).toEqual([]);
});

test('faults: carrier gone, a hang, and a failing step', async () => {
  const connector = new FakeGuestConnector();
  const machine = connector.machine(options.socketPath);
  machine.script = () => new Promise(() => {});
  const guest = await connector.connect(options);
  const exec = guest.exec(spec, collect());
  machine.failNext('sync', new OffshootError('guest-disk-full'));
  await expect(guest.sync(50)).rejects.toMatchObject({ code: 'guest-disk-full' });
  machine.hanging = true;
  await expect(guest.metrics(20)).rejects.toMatchObject({ code: 'guest-unresponsive' });
  await expect(connector.connect(options)).rejects.toMatchObject({ code: 'guest-unresponsive' });
  machine.drop('carrier-gone');
  expect(await guest.closed).toBe('carrier-gone');
  await expect(exec.result).rejects.toMatchObject({ code: 'guest-unresponsive', details: { reason: 'carrier-gone' } });
});

test('a frozen workload is seen, execs begin at the thaw, and a resumed machine is thawed', async () => {
  const connector = new FakeGuestConnector();
  const machine = connector.machine(options.socketPath);
  const guest = await connector.connect(options);
  await guest.freezeWorkload(50);
  await guest.freezeWorkload(50);
  expect(machine.frozen).toBe(true);
  machine.script = async (control) => {
    await control.stdout('begun');
    return undefined;
  };
  const sink = collect();
  const exec = guest.exec(spec, sink);
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(sink.text).toBe('');
  await guest.prepareResume({ entropy: Buffer.alloc(32), dropStreams: false }, 50);
  await exec.result;
  expect(sink.text).toBe('stdout:begun;');
  await guest.freezeWorkload(50);
  await guest.thawWorkload(50);
  expect(machine.workloadChanges).toEqual(['frozen', 'thawed', 'frozen', 'thawed']);
});

test('freezing and thawing fail and hang on demand, and change nothing then', async () => {
  const connector = new FakeGuestConnector();
  const machine = connector.machine(options.socketPath);
  const guest = await connector.connect(options);
  machine.failNext('freezeWorkload', new OffshootError('guest-unresponsive'));
  await expect(guest.freezeWorkload(50)).rejects.toMatchObject({ code: 'guest-unresponsive' });
  machine.hangNext('freezeWorkload');
  await expect(guest.freezeWorkload(20)).rejects.toMatchObject({ details: { operation: 'freezeWorkload' } });
  expect(machine.frozen).toBe(false);
  await guest.freezeWorkload(50);
  machine.hangNext('thawWorkload');
  await expect(guest.thawWorkload(20)).rejects.toMatchObject({ code: 'guest-unresponsive' });
  machine.failNext('prepareResume', new OffshootError('boot-failed'));
  const identity = { entropy: Buffer.alloc(32), dropStreams: false };
  await expect(guest.prepareResume(identity, 50)).rejects.toMatchObject({ code: 'boot-failed' });
  expect(machine.frozen).toBe(true);
});

test('files and archives go in and out', async () => {
  const guest = await new FakeGuestConnector().connect(options);
  await guest.files.write('/workspace/a/b.txt', Readable.from([Buffer.from('text')]), { mode: 0o755 });
  expect(await guest.files.stat('/workspace/a/b.txt')).toMatchObject({ type: 'file', sizeBytes: 4, mode: 0o755 });
  const archive = await guest.files.archive('/workspace');
  expect(await guest.files.extract('/copy', archive)).toEqual({ entries: 1, bytes: 4, skipped: 0 });
  expect((await buffer(await guest.files.read('/copy/a/b.txt'))).toString()).toBe('text');
  expect((await guest.files.list('/copy')).map((entry) => [entry.name, entry.type])).toEqual([['a', 'directory']]);
  await expect(guest.files.read('/none')).rejects.toMatchObject({ code: 'guest-file-not-found' });
});
