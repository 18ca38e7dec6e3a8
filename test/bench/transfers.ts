import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Sandbox } from '../../hostd/client/index.ts';
import { packFolder } from '../../hostd/client/archives.ts';
import { ending } from './endings.ts';
import { figure, type Figure } from './figures.ts';

const files = 2000;
const totalBytes = 96 * 1024 * 1024;
const outputBytes = 256 * 1024 * 1024;

/** Output and archives between guest and client. */
export async function measureTransfers(host: string, n: number, report: (figure: Figure) => void): Promise<void> {
  await using sandbox = await Sandbox.create({ memoryMiB: 1024, connection: { host } });
  const output: number[] = [];
  for (let i = 0; i < n; i += 1) {
    const handle = await sandbox.spawn(['head', '-c', String(outputBytes), '/dev/zero']);
    output.push(await megabytesPerSecond(() => drain(handle.output())));
  }
  report(figure('output, guest to client', 'MB/s', '>= 50 MB/s', output));

  const folder = await mkdtemp(path.join(tmpdir(), 'offshoot-bench-'));
  const measure = async (): Promise<void> => {
    await fillFolder(folder);
    const sentIn: number[] = [];
    const broughtOut: number[] = [];
    for (let i = 0; i < n; i += 1) {
      const target = `/workspace/tree${String(i % 2)}`;
      sentIn.push(
        await megabytesPerSecond(async () => {
          await sandbox.files.uploadArchive(packFolder(folder, []), target);
          return totalBytes;
        }),
      );
      broughtOut.push(
        await megabytesPerSecond(async () => {
          for await (const chunk of await sandbox.files.downloadArchive(target)) void chunk;
          return totalBytes;
        }),
      );
    }
    report(figure('tar of 2,000 files, 96 MiB, in', 'MB/s', '>= 10 MB/s', sentIn));
    report(figure('tar of 2,000 files, 96 MiB, out', 'MB/s', '>= 40 MB/s', broughtOut));
  };
  await ending(measure, () => rm(folder, { recursive: true, force: true }));
}

async function drain(chunks: AsyncGenerator<{ bytes: Buffer }, unknown>): Promise<number> {
  let bytes = 0;
  for await (const chunk of chunks) bytes += chunk.bytes.length;
  return bytes;
}

async function megabytesPerSecond(transfer: () => Promise<number>): Promise<number> {
  const startedMs = performance.now();
  const bytes = await transfer();
  return bytes / 1e6 / ((performance.now() - startedMs) / 1000);
}

async function fillFolder(folder: string): Promise<void> {
  const content = randomBytes(totalBytes / files);
  for (let i = 0; i < files; i += 1) {
    const inner = path.join(folder, `d${String(i % 50)}`);
    if (i < 50) await mkdir(inner);
    await writeFile(path.join(inner, `f${String(i)}`), content);
  }
}
