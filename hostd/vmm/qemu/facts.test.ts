import { expect, test } from 'vitest';
import { parseCpuInfo } from './host-cpu.ts';
import { mapsReadOnlyMemoryFiles, parseQemuVersion, takesIncomingFile } from './qemu-version.ts';
import { networkMark, parseReceived } from './network-mark.ts';
import { parseUsage } from './usage.ts';

test('versions are ordered by number', () => {
  const at = (major: number, minor: number) => ({ text: '', major, minor });
  expect([at(7, 2), at(8, 1), at(8, 2), at(10, 0)].map(mapsReadOnlyMemoryFiles)).toEqual([false, false, true, true]);
  expect([at(8, 2), at(9, 0), at(9, 1), at(10, 0)].map(takesIncomingFile)).toEqual([false, false, true, true]);
  expect(parseQemuVersion('something else')).toBeUndefined();
});

test('the mark of a network has what each interface received, and is none of a process that is gone', async () => {
  const text = `Inter-|   Receive                            |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:       0       0    0    0    0     0          0         0        0       0    0    0    0     0       0          0
  tap0: 4294967296 1234567    0    0    0     0          0         0      700       7    0    0    0     0       0          0
  eth0:90000     42    0    0    0     0          0         0      700       7    0    0    0     0       0          0
`;
  expect(parseReceived(text)).toBe(' lo=0 tap0=1234567 eth0=42');
  expect(await networkMark(process.pid)).toMatch(new RegExp(`^${String(process.pid)} .*lo=\\d+`));
  expect(await networkMark(0)).toBeUndefined();
});

test('usage is read behind a program name with spaces and parentheses', () => {
  const stat = '7 (qemu) (x 1) S 1 7 7 0 -1 4194560 1 0 0 0 150 50 0 0 20 0 4 0 100 1 1';
  const rollup =
    '55-7f ---p 0 00:00 0 [rollup]\nRss:   90000 kB\nPss:             40961 kB\nPss_Anon: 1 kB\nSwapPss:   1024 kB\n';
  expect(parseUsage(stat, 'VmPeak:\t 9 kB\nVmHWM:\t   51200 kB\n', rollup)).toEqual({
    cpuSeconds: 2,
    peakMemoryMiB: 50,
    residentMiB: 42,
  });
});

test('the order of CPU flags means nothing, their set does', () => {
  const info = (flags: string) =>
    `processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 1\nmodel name\t: AMD EPYC\nstepping\t: 1\nflags\t\t: ${flags}\n\nprocessor\t: 1\nflags\t\t: other\n`;
  const cpu = parseCpuInfo(info('fpu vme sse'));
  expect(cpu.model).toBe('AuthenticAMD 25/1/1 AMD EPYC');
  expect(parseCpuInfo(info('sse fpu vme'))).toEqual(cpu);
  expect(parseCpuInfo(info('fpu vme')).flagsDigest).not.toBe(cpu.flagsDigest);
});
