import { Sandbox, type OutputChunk } from 'offshoot';

/** Talks with a program through its standard input, and ends it with a signal. */

await using sandbox = await Sandbox.create({ egress: { mode: 'none' } });
const calculator = await sandbox.spawn(['python3', '-uc', 'while True: print(eval(input()))'], { stdin: true });
const lines = readLines(calculator.output());

for (const question of ['6 * 7', '2 ** 100', '"ab" * 3']) {
  await calculator.write(`${question}\n`);
  const answer = await lines.next();
  console.log(`${question} = ${String(answer.value)}`);
}
await calculator.kill('SIGTERM');
const { signal } = await calculator.wait();
console.log(`ended by ${String(signal)}`);
await lines.return(undefined);

/** Output comes in pieces as the program wrote them: a line may be several. */
async function* readLines(output: AsyncIterable<OutputChunk>): AsyncGenerator<string> {
  let rest = '';
  for await (const { bytes } of output) {
    const lines = (rest + bytes.toString()).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
