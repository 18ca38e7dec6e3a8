import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outputFrameMediaType, outputLineSchema, type OutputLine } from '../contract/index.ts';
import { OffshootError } from '../errors/offshoot-error.ts';
import { OutputFrameParser } from '../client/output-frames.ts';
import { Served } from './testing/served.ts';
import type { FakeOutput } from './testing/fake-output.ts';

let served: Served;
beforeAll(async () => {
  served = await Served.start({ keepAliveMs: 50 });
  await served.send('POST', '/v1/sandboxes', { json: { id: 'sbx_1' } });
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
});

let next = 0;
async function startExec(): Promise<{ path: string; output: FakeOutput; end: (exitCode?: number) => void }> {
  const id = `exe_${String(next++)}`;
  await served.send('POST', '/v1/sandboxes/sbx_1/execs', { json: { id, argv: ['x'] } });
  return {
    path: `/v1/sandboxes/sbx_1/execs/${id}/output`,
    output: served.host.exec(id).output,
    end: (exitCode) => {
      served.host.endExec(id, exitCode);
    },
  };
}

async function lines(path: string): Promise<OutputLine[]> {
  const { text } = await served.send('GET', path);
  return text
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '{}' && line !== '')
    .map((line) => outputLineSchema.parse(JSON.parse(line)));
}

/** All bytes that lines carry, checked for offsets without gap or overlap. */
function join(all: OutputLine[], from = 0): Buffer {
  const parts: Buffer[] = [];
  let offset = from;
  for (const line of all) {
    if (!('offset' in line)) continue;
    expect(line.offset).toBe(offset);
    const bytes = 'text' in line ? Buffer.from(line.text) : Buffer.from(line.base64, 'base64');
    parts.push(bytes);
    offset += bytes.length;
  }
  return Buffer.concat(parts);
}

async function frames(path: string) {
  const { body } = await served.open('GET', path, { headers: { accept: `${outputFrameMediaType}, */*;q=0.1` } });
  const parser = new OutputFrameParser();
  const all: { kind: string; bytes: Buffer }[] = [];
  for await (const chunk of body)
    for (const frame of parser.push(chunk as Buffer))
      if ('bytes' in frame) all.push({ kind: frame.kind, bytes: frame.bytes });
  return all;
}

describe('as lines', () => {
  it('keeps the order of both streams and ends with the exec', async () => {
    const { path, output, end } = await startExec();
    output.write('stdout', 'one\n');
    output.write('stdout', 'two\n');
    output.write('stderr', 'oops\n');
    output.write('stdout', 'three\n');
    end(3);
    const all = await lines(path);
    expect(all.slice(0, -1)).toEqual([
      { stream: 'stdout', offset: 0, text: 'one\ntwo\n' },
      { stream: 'stderr', offset: 8, text: 'oops\n' },
      { stream: 'stdout', offset: 13, text: 'three\n' },
    ]);
    expect(all.at(-1)).toMatchObject({ end: { exitCode: 3, state: 'ended' } });
  });

  it('starts at any offset', async () => {
    const { path, output, end } = await startExec();
    output.write('stdout', '0123456789');
    end();
    expect((await lines(`${path}?from=4`))[0]).toEqual({ stream: 'stdout', offset: 4, text: '456789' });
    expect(await lines(`${path}?from=10`)).toHaveLength(1);
  });

  it('without follow gives what there is, and no end of a running exec', async () => {
    const { path, output } = await startExec();
    output.write('stdout', 'so far');
    expect(await lines(path)).toEqual([{ stream: 'stdout', offset: 0, text: 'so far' }]);
  });

  it('carries every byte value, and text around cut characters as text', async () => {
    const { path, output, end } = await startExec();
    const binary = Buffer.from(Array.from({ length: 256 }, (_value, index) => index));
    const euro = Buffer.from('€');
    output.write('stdout', binary);
    output.write('stderr', '|');
    output.write('stdout', Buffer.concat([euro.subarray(1), Buffer.from('text'), euro.subarray(0, 2)]));
    end();
    const all = await lines(path);
    expect(join(all)).toEqual(
      Buffer.concat([binary, Buffer.from('|'), euro.subarray(1), Buffer.from('text'), euro.subarray(0, 2)]),
    );
    expect(all).toContainEqual({ stream: 'stdout', offset: 259, text: 'text' });
  });

  it('follows until the end, with signs of life in between', async () => {
    const { path, output, end } = await startExec();
    const { body } = await served.open('GET', `${path}?follow=1`);
    let text = '';
    body.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await expect.poll(() => text).toContain('{}\n');
    output.write('stdout', 'late');
    await expect.poll(() => text).toContain('"text":"late"');
    end();
    await once(body, 'end');
    expect(text).toContain('"end":');
  });
});

describe('as frames', () => {
  it('carries both streams, a long line and the end', async () => {
    const { path, output, end } = await startExec();
    const long = Buffer.alloc(1_048_576, 'x');
    output.write('stdout', long);
    output.write('stderr', 'e');
    end();
    const all = await frames(path);
    const stdout = Buffer.concat(all.filter(({ kind }) => kind === 'stdout').map(({ bytes }) => bytes));
    expect(stdout.equals(long)).toBe(true);
    expect(all.filter(({ kind }) => kind === 'stderr').map(({ bytes }) => bytes.toString())).toEqual(['e']);
    expect(JSON.parse(all.at(-1)?.bytes.toString() ?? '')).toMatchObject({ state: 'ended' });
  });

  it('says where it goes on after missing bytes', async () => {
    const { path, output, end } = await startExec();
    output.write('stdout', 'ab');
    output.skip(1000);
    output.write('stdout', 'cd');
    end();
    const { body } = await served.open('GET', path, { headers: { accept: outputFrameMediaType } });
    const bytes = Buffer.from(await body.arrayBuffer());
    const gap = Buffer.from([4, 8, 0, 0, 0, 0xea, 3, 0, 0, 0, 0, 0, 0]);
    expect(bytes.subarray(0, 27)).toEqual(
      Buffer.concat([Buffer.from([1, 2, 0, 0, 0, 97, 98]), gap, Buffer.from([1, 2, 0, 0, 0, 99, 100])]),
    );
  });
});

it('a million short chunks come whole and in few writes', async () => {
  const { path, output, end } = await startExec();
  const count = 200_000;
  for (let index = 0; index < count; index += 1) output.write('stdout', `${String(index)}\n`);
  end();
  const { body } = await served.open('GET', path, { headers: { accept: outputFrameMediaType } });
  const parser = new OutputFrameParser();
  const parts: Buffer[] = [];
  let reads = 0;
  for await (const chunk of body) {
    reads += 1;
    for (const frame of parser.push(chunk as Buffer)) if (frame.kind === 'stdout') parts.push(frame.bytes);
  }
  expect(Buffer.concat(parts).toString()).toBe(
    Array.from({ length: count }, (_value, index) => `${String(index)}\n`).join(''),
  );
  expect(reads).toBeLessThan(200);
});

it('a client that does not read holds the exec back, not memory', async () => {
  const { path, output, end } = await startExec();
  const chunk = Buffer.alloc(65_536, 'y');
  const count = 1600; // 100 MiB
  for (let index = 0; index < count; index += 1) output.write('stdout', chunk);
  end();
  const socket = served.connect();
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAccept: ${outputFrameMediaType}\r\n\r\n`);
  await expect.poll(() => output.delivered).toBeGreaterThan(0);
  await sleep(200);
  expect(output.delivered).toBeLessThan(40); // 2.5 MiB: one batch and the buffers of node and the kernel
  socket.destroy();
});

it('a client that leaves ends the reading', async () => {
  const { path, output } = await startExec();
  output.write('stdout', 'x');
  const { body } = await served.open('GET', `${path}?follow=1`);
  body.on('error', () => undefined);
  body.destroy();
  await expect.poll(() => output.aborted).toBe(1);
});

it('an exec that is not there is a problem, not an empty output', async () => {
  expect(await served.problem('GET', '/v1/sandboxes/sbx_1/execs/exe_none/output?follow=1')).toMatchObject({
    code: 'exec-not-found',
  });
});

it('a host that refuses a reader is a problem too', async () => {
  await using other = await Served.start();
  await other.send('POST', '/v1/sandboxes', { json: { id: 'sbx_1' } });
  await other.send('POST', '/v1/sandboxes/sbx_1/execs', { json: { id: 'exe_1', argv: ['x'] } });
  other.host.execs.output = () => ({
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new OffshootError('too-many-streams')) }),
  });
  const problem = await other.problem('GET', '/v1/sandboxes/sbx_1/execs/exe_1/output?follow=1');
  expect(problem).toMatchObject({ status: 429, code: 'too-many-streams' });
});

it('a shutdown ends followers without an end, so that they come back', async () => {
  const other = await Served.start();
  await other.send('POST', '/v1/sandboxes', { json: { id: 'sbx_1' } });
  await other.send('POST', '/v1/sandboxes/sbx_1/execs', { json: { id: 'exe_1', argv: ['x'] } });
  other.host.exec('exe_1').output.write('stdout', 'x');
  const { body } = await other.open('GET', '/v1/sandboxes/sbx_1/execs/exe_1/output?follow=1');
  const text = body.text();
  await sleep(50);
  await other[Symbol.asyncDispose]();
  expect(await text).toBe('{"stream":"stdout","offset":0,"text":"x"}\n');
});
