import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { followOutput } from './output.ts';
import { endedExec, outputFrame, ScriptedServer } from './testing/scripted-server.ts';
import { Transport } from './transport.ts';

const execPath = '/v1/sandboxes/sbx_1/execs/exe_1';

async function readAll(transport: Transport, from = 0): Promise<{ bytes: Buffer; end: unknown }> {
  const parts: Buffer[] = [];
  const chunks = followOutput(transport, execPath, { from });
  for (;;) {
    const next = await chunks.next();
    if (next.done === true) return { bytes: Buffer.concat(parts), end: next.value };
    expect(next.value.offset).toBe(from + parts.reduce((sum, part) => sum + part.length, 0));
    parts.push(Buffer.from(next.value.bytes));
  }
}

test('cut connections and a restart are bridged at the very byte', async () => {
  const output = randomBytes(200_000);
  let cuts = 0;
  await using server = await ScriptedServer.start(async (request, response) => {
    const from = Number(new URL(request.url ?? '', 'http://x').searchParams.get('from'));
    response.writeHead(200);
    const whole = outputFrame(1, output.subarray(from));
    if (cuts < 6) {
      cuts += 1;
      response.write(whole.subarray(0, 5 + 20_000 + cuts)); // breaks off inside a frame
      await sleep(20);
      if (cuts === 3) {
        void server
          .goAway()
          .then(() => sleep(200))
          .then(() => server.listen());
      } else {
        response.destroy();
      }
      return;
    }
    response.end(Buffer.concat([whole, outputFrame(3, Buffer.from(JSON.stringify(endedExec)))]));
  });
  const { bytes, end } = await readAll(new Transport({ host: server.host }));
  expect(cuts).toBe(6);
  expect(bytes.equals(output)).toBe(true);
  expect(end).toMatchObject({ state: 'ended', exitCode: 0 });
});

test('an end without a final frame is not taken for the end', async () => {
  let requests = 0;
  await using server = await ScriptedServer.start((_request, response) => {
    requests += 1;
    if (requests === 1) response.end(outputFrame(1, Buffer.from('abc')));
    else response.end(outputFrame(3, Buffer.from(JSON.stringify(endedExec))));
  });
  const { bytes } = await readAll(new Transport({ host: server.host }));
  expect(bytes.toString()).toBe('abc');
  expect(requests).toBe(2);
});

test('an error of the server is thrown, not retried', async () => {
  let requests = 0;
  await using server = await ScriptedServer.start((_request, response) => {
    requests += 1;
    response.writeHead(404, { 'content-type': 'application/problem+json' });
    const problem = {
      type: 'x',
      title: 't',
      status: 404,
      detail: 'd',
      code: 'exec-not-found',
      hint: '',
      retryable: false,
    };
    response.end(JSON.stringify({ ...problem, details: {} }));
  });
  await expect(readAll(new Transport({ host: server.host }))).rejects.toMatchObject({ code: 'exec-not-found' });
  expect(requests).toBe(1);
});
