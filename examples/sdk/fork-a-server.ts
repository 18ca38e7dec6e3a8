import { Sandbox } from 'offshoot';

/** A running server is forked with all that is in its memory: it answers in every copy, and each copy goes its own way from there. */

const ask = 'curl -s --max-time 10 http://localhost:8000/page.txt';

await using prepared = await Sandbox.create({ egress: { mode: 'none' }, labels: { example: 'fork-a-server' } });
await prepared.files.write('/workspace/page.txt', 'prepared');
await prepared.spawn(['python3', '-m', 'http.server', '8000']);
await prepared.exec(`until ${ask}; do sleep 0.1; done`, { check: true, timeoutMs: 60_000 });

await using running = new AsyncDisposableStack(); // stops the copies, whatever happens below
const copies = (await prepared.fork({ count: 3 })).map((copy) => running.use(copy));

const answers = await Promise.all(
  copies.map(async (copy, index) => {
    const before = await copy.exec(ask, { check: true });
    await copy.files.write('/workspace/page.txt', `changed in copy ${String(index)}`);
    const after = await copy.exec(ask, { check: true });
    return `copy ${String(index)}: ${before.stdout}, then ${after.stdout}`;
  }),
);
console.log(answers.join('\n'));
console.log(`source: ${(await prepared.exec(ask, { check: true })).stdout}`);
