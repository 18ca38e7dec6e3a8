import { describe, expect, test } from 'vitest';
import { FakeClock } from '../platform/clock.ts';
import { committedMiB, memoryCapacityMiB, shapeLimits, shortage, type Occupant } from './admission-rules.ts';
import { Admission, type Place } from './admission.ts';
import { hostConfigSchema, type HostConfig } from './host-config.ts';
import { parsePressure } from './host-resources.ts';
import { FakeResources, settle } from './testing/world.ts';

const shape = { cpus: 1, memoryMiB: 512, diskMiB: 8192 };

function configWith(changes: Partial<HostConfig> = {}): HostConfig {
  return hostConfigSchema.parse({ vmmOverheadMiB: 88, overcommitRatio: 4, hostReserveMiB: 384, ...changes });
}

function reading(changes = {}) {
  return { ...new FakeResources().reading, ...changes };
}

function occupant(changes: Partial<Occupant> = {}): Occupant {
  return { shape, residentMiB: 0, starting: false, ...changes };
}

describe('rules', () => {
  test('a sandbox counts by what it takes and a share of what it may still grow', () => {
    const config = configWith();
    expect(committedMiB(config, occupant())).toBe(600 / 4);
    expect(committedMiB(config, occupant({ residentMiB: 200 }))).toBe(200 + 400 / 4);
    expect(committedMiB(config, occupant({ residentMiB: 700 }))).toBe(700);
    expect(committedMiB(configWith({ overcommitRatio: 1 }), occupant({ residentMiB: 200 }))).toBe(600);
  });

  test('a tenth of the memory, at least 256 MiB, is the host’s own by default', () => {
    const { hostReserveMiB: _reserve, ...config } = configWith();
    expect(memoryCapacityMiB(config, 10_000)).toBe(9000);
    expect(memoryCapacityMiB(config, 1000)).toBe(744);
  });

  test('memory is full exactly when reserve and use reach the capacity', () => {
    const config = configWith({ minAvailableMiB: 0 });
    // Capacity 1000; each new one takes 150.
    const host = reading({ memoryTotalMiB: 1384 });
    const six = Array.from({ length: 5 }, () => occupant());
    expect(shortage(config, shape, six, host)).toBeUndefined();
    expect(shortage(config, shape, [...six, occupant()], host)).toMatchObject({ of: 'memory' });
    // One that grew to 400 takes 450.
    expect(shortage(config, shape, [occupant({ residentMiB: 400 }), ...six.slice(0, 3)], host)).toMatchObject({
      of: 'memory',
    });
  });

  test('the host’s free memory counts, less what those just starting will take', () => {
    const config = configWith({ minAvailableMiB: 256 });
    expect(shortage(config, shape, [], reading({ memoryAvailableMiB: 352 }))).toBeUndefined();
    expect(shortage(config, shape, [], reading({ memoryAvailableMiB: 351 }))).toMatchObject({ of: 'memory' });
    const starting = [occupant({ starting: true })];
    expect(shortage(config, shape, starting, reading({ memoryAvailableMiB: 400 }))).toMatchObject({ of: 'memory' });
  });

  test('tasks that wait for memory, a full disk and the count keep new ones out', () => {
    const config = configWith({ maxSandboxes: 1, maxMemoryPressurePercent: 10 });
    expect(shortage(config, shape, [], reading({ memoryPressurePercent: 11 }))).toMatchObject({ of: 'memory' });
    expect(shortage(config, shape, [], reading({ diskFreeMiB: 1024 }))).toMatchObject({ of: 'disk' });
    expect(shortage(config, shape, [occupant()], reading())).toMatchObject({ of: 'sandboxes' });
  });

  test('a sandbox may have as many CPUs as the host, or as many as the host is told', () => {
    expect(shapeLimits(configWith(), reading(), 2).cpus).toBe(2);
    expect(shapeLimits(configWith({ maxCpusPerSandbox: 4 }), reading(), 2).cpus).toBe(4);
  });

  test('the pressure file', () => {
    expect(parsePressure('some avg10=12.50 avg60=1.00 avg300=0.00 total=9\nfull avg10=3.00')).toBe(12.5);
    expect(parsePressure('')).toBe(0);
  });
});

describe('queue', () => {
  function room(config: Partial<HostConfig> = {}) {
    const clock = new FakeClock();
    const resources = new FakeResources();
    const admission = new Admission(configWith(config), resources, clock);
    const enter = (waitSeconds: number, signal = new AbortController().signal, memoryMiB = 512) =>
      admission.enter({ shape: { ...shape, memoryMiB }, waitSeconds, signal, onQueued: () => undefined });
    return { clock, resources, admission, enter };
  }

  test('as many as fit come in at once, whatever the order of their steps', async () => {
    const { enter, admission } = room({ maxSandboxes: 3 });
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => enter(0)));
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    expect(results[4]).toMatchObject({ reason: { code: 'capacity-exhausted' } });
    expect(admission.occupied).toBe(3);
  });

  test('those who wait are served in the order they came', async () => {
    const { enter } = room({ maxSandboxes: 1 });
    const order: string[] = [];
    let place = await enter(0);
    const waiting = ['first', 'second', 'third'].map((name) =>
      enter(60).then((got) => {
        order.push(name);
        place = got;
      }),
    );
    for (const done of waiting) {
      place.leave();
      await done;
    }
    expect(order).toEqual(['first', 'second', 'third']);
  });

  test('nobody overtakes one who waits, not even one who would fit', async () => {
    const { enter, admission } = room({ overcommitRatio: 1, hostReserveMiB: 15_184 }); // room for 1200
    const places: Place[] = [await enter(0), await enter(0, undefined, 256)];
    const large = enter(60, undefined, 1000);
    await settle();
    expect(admission.queued).toBe(1);
    await expect(enter(0, undefined, 32)).rejects.toMatchObject({ code: 'capacity-exhausted' });
    const small = enter(60, undefined, 32);
    for (const place of places) place.leave();
    places.push(await large);
    places[2]?.leave();
    await small;
  });

  test('who waited long enough is refused with the reason', async () => {
    const { enter, clock } = room({ maxSandboxes: 1 });
    await enter(0);
    const refused = expect(enter(5)).rejects.toMatchObject({
      code: 'capacity-exhausted',
      details: { shortOf: 'sandboxes' },
    });
    for (let step = 0; step < 12; step += 1) {
      await settle();
      clock.advance(500);
    }
    await refused;
  });

  test('a client that leaves makes room for the next', async () => {
    const { enter } = room({ maxSandboxes: 1 });
    const place = await enter(0);
    const leaving = new AbortController();
    const left = expect(enter(60, leaving.signal)).rejects.toThrow('bye');
    const next = enter(60);
    await settle();
    leaving.abort(new Error('bye'));
    await left;
    place.leave();
    (await next).leave();
  });

  test('room that appears by itself is noticed', async () => {
    const { enter, clock, resources } = room();
    resources.reading.diskFreeMiB = 10;
    await expect(enter(0)).rejects.toMatchObject({ code: 'host-disk-full' });
    const waiting = enter(60);
    await settle();
    resources.reading.diskFreeMiB = 90_000;
    clock.advance(500);
    await waiting;
  });
});
