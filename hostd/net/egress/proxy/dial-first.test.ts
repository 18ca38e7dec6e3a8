import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { dialFirst } from './dial-first.ts';

const limits = { dialTimeoutMs: 300, dialStaggerMs: 30, dialledAddresses: 8 };
const never = new AbortController().signal;

/** How each address behaves: it answers after so many milliseconds, fails after as many, or says nothing at all. */
function outside(plan: Record<string, { answersMs?: number; failsMs?: number }>) {
  const order: string[] = [];
  const sockets = new Map<string, Socket>();
  const dial = async (address: string, _port: number, signal: AbortSignal): Promise<Socket> => {
    order.push(address);
    const { answersMs, failsMs } = plan[address] ?? {};
    await sleep(
      answersMs ?? failsMs ?? 60_000,
      undefined,
      answersMs === undefined && failsMs === undefined ? { signal } : {},
    );
    if (answersMs === undefined) throw new Error('refused');
    const socket = new Socket();
    sockets.set(address, socket);
    return socket;
  };
  return { dial, order, sockets };
}

test('the first address that answers is taken, and no other is tried', async () => {
  const { dial, order } = outside({ a: { answersMs: 0 }, b: { answersMs: 0 } });
  expect((await dialFirst(dial, ['a', 'b'], 443, limits, never))?.address).toBe('a');
  expect(order).toEqual(['a']);
});

test('the next one is tried at once when one fails, in order', async () => {
  const { dial, order } = outside({ a: { failsMs: 0 }, b: { failsMs: 0 }, c: { answersMs: 0 } });
  const startedMs = performance.now();
  expect((await dialFirst(dial, ['a', 'b', 'c'], 443, { ...limits, dialStaggerMs: 5000 }, never))?.address).toBe('c');
  expect([order, performance.now() - startedMs < 2000]).toEqual([['a', 'b', 'c'], true]);
});

test('the next one is tried beside one that does not answer; a late answer is closed', async () => {
  const { dial, sockets } = outside({ a: { answersMs: 150 }, b: { answersMs: 10 } });
  expect((await dialFirst(dial, ['a', 'b'], 443, limits, never))?.address).toBe('b');
  await expect.poll(() => sockets.get('a')?.destroyed).toBe(true);
  expect(sockets.get('b')?.destroyed).toBe(false);
});

test('when nothing answers it ends after the timeout of the last one', async () => {
  const { dial, order } = outside({});
  expect(await dialFirst(dial, ['a', 'b'], 443, limits, never)).toBeUndefined();
  expect(order).toEqual(['a', 'b']);
});

test('of a name with very many addresses only the first ones are tried', async () => {
  const { dial, order } = outside({});
  const many = Array.from({ length: 1000 }, (_, index) => String(index));
  expect(await dialFirst(dial, many, 443, { ...limits, dialStaggerMs: 1 }, never)).toBeUndefined();
  expect(order).toEqual(many.slice(0, 8));
});

test('a guest that leaves ends it; a dial that throws at once is a failure', async () => {
  const gone = new AbortController();
  const { dial, order } = outside({});
  const dialling = dialFirst(
    dial,
    ['a', 'b'],
    443,
    { ...limits, dialTimeoutMs: 60_000, dialStaggerMs: 60_000 },
    gone.signal,
  );
  gone.abort();
  expect([await dialling, order]).toEqual([undefined, ['a']]);
  const throwing = (): never => {
    throw new Error('no');
  };
  expect(await dialFirst(throwing, ['a'], 443, limits, never)).toBeUndefined();
});
