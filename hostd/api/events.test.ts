import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Served } from './testing/served.ts';

let served: Served;
beforeAll(async () => {
  served = await Served.start({ keepAliveMs: 50 });
  served.host.emit('sandbox.creating', 'sbx_1');
  served.host.emit('sandbox.running', 'sbx_1');
  served.host.emit('sandbox.running', 'sbx_2');
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
});

const ids = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]));

describe('events', () => {
  it('have an id, a type and JSON data', async () => {
    const { text, headers } = await served.send('GET', '/v1/events?follow=0');
    expect(headers['content-type']).toBe('text/event-stream');
    expect(text).toContain('id: 1\nevent: sandbox.creating\ndata: {"id":1,');
    expect(ids(text)).toEqual([1, 2, 3]);
  });

  it('continue after Last-Event-ID, before from', async () => {
    const options = { headers: { 'last-event-id': '2' } };
    expect(ids((await served.send('GET', '/v1/events?follow=0&from=0', options)).text)).toEqual([3]);
    expect(ids((await served.send('GET', '/v1/events?follow=0&from=1')).text)).toEqual([2, 3]);
  });

  it('of one sandbox', async () => {
    expect(ids((await served.send('GET', '/v1/events?follow=0&sandbox=sbx_2')).text)).toEqual([3]);
  });

  it('come live to a follower, from now on, with signs of life', async () => {
    const { body } = await served.open('GET', '/v1/events');
    let text = '';
    body.on('data', (chunk: Buffer) => (text += chunk.toString()));
    body.on('error', () => undefined);
    await expect.poll(() => text).toContain(': alive\n\n');
    served.host.emit('sandbox.gone', 'sbx_1');
    await expect.poll(() => ids(text)).toEqual([4]);
    body.destroy();
  });

  it.each(['x', '-1', '1.5', '0x1', ''])('refuse the Last-Event-ID %j', async (id) => {
    const problem = await served.problem('GET', '/v1/events', { headers: { 'last-event-id': id } });
    expect(problem.code).toBe('invalid-request');
  });
});
