import { Sandbox } from 'offshoot';

/** Talks with a program through its standard input, and ends it with a signal. */

await using sandbox = await Sandbox.create({ egress: { mode: 'none' } });
const calculator = await sandbox.spawn(['python3', '-uc', 'while True: print(eval(input()))'], { stdin: true });
const output = calculator.output();

for (const question of ['6 * 7', '2 ** 100', '"ab" * 3']) {
  await calculator.write(`${question}\n`);
  const answer = await output.next();
  if (answer.done === true) break;
  console.log(`${question} = ${answer.value.bytes.toString().trimEnd()}`);
}
await calculator.kill('SIGTERM');
const { signal } = await calculator.wait();
console.log(`ended by ${String(signal)}`);
await output.return(undefined);
