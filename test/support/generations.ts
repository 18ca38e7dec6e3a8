import { expect } from 'vitest';
import type { Sandbox } from '../../hostd/client/index.ts';

const answer = async (sandbox: Sandbox, command: string) =>
  (await sandbox.exec(command, { check: true, timeoutMs: 600_000 })).stdout.trim();

/** Each MiB differs from all others, and a page that moved or was lost shows in the sum. */
const pattern = (mib: number) =>
  `import array; f = open('/run/pattern/p', 'wb')\nfor i in range(${String(mib)}): f.write(array.array('Q', range(i << 32, (i << 32) + 131072)).tobytes())`;

/** Forks a fork of a fork of a sandbox that holds so much patterned memory: all of it is right in the last one, and unchanged in the first. */
export async function threeGenerations(source: Sandbox, mib: number): Promise<void> {
  await answer(source, `mkdir -p /run/pattern && mount -t tmpfs -o size=${String(mib + 16)}m none /run/pattern`);
  await source.files.write('/workspace/pattern.py', pattern(mib));
  await answer(source, 'python3 /workspace/pattern.py');
  const sum = await answer(source, 'cksum < /run/pattern/p');
  const copies: Sandbox[] = [];
  let parent = source;
  try {
    for (const generation of [2, 3, 4]) {
      await answer(parent, `echo ${String(generation)} >> /workspace/log; sync`);
      parent = await parent.fork();
      copies.push(parent);
      expect(parent.info.generation).toBe(generation);
    }
    expect(await answer(parent, 'cksum < /run/pattern/p')).toBe(sum);
    expect(await answer(parent, 'cat /workspace/log')).toBe('2\n3\n4');
    await answer(
      parent,
      'dd if=/dev/zero of=/run/pattern/p bs=1M count=8 conv=notrunc 2>/dev/null; echo x > /workspace/log',
    );
    expect(await answer(source, 'cksum < /run/pattern/p; cat /workspace/log')).toBe(`${sum}\n2`);
  } finally {
    await Promise.all(copies.map((copy) => copy.stop()));
  }
}
