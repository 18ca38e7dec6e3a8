import { isForkFailed, Sandbox } from 'offshoot';

/** Asks for more copies than the host may have room for, and clears up when only some of them started: node partly-failed-fork.ts COUNT */

const count = Number(process.argv[2] ?? 20);

await using source = await Sandbox.create({ timeoutSeconds: 600, labels: { example: 'partly-failed-fork' } });
try {
  const copies = await source.fork({ count });
  console.log(`all ${String(copies.length)} copies run`);
  await Promise.all(copies.map((copy) => copy.stop()));
} catch (error) {
  if (!isForkFailed(error)) throw error;
  const { startedSandboxIds, failures } = error.details;
  for (const { index, code } of failures) console.log(`copy ${String(index)} did not start: ${code}`);
  // those that started are of use as they are; here they are not wanted without the others
  await Promise.all(startedSandboxIds.map(async (id) => (await Sandbox.connect(id)).stop()));
  console.log(`${String(startedSandboxIds.length)} that ran were stopped`);
}
const { state } = await source.refresh();
console.log(`the source is ${state}`);
