import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ExecHandle } from './exec-handle.ts';
import { answerJson, endedExec, outputFrame, ScriptedServer } from './testing/scripted-server.ts';
import { Transport } from './transport.ts';

function problem(code: string, status: number): Record<string, unknown> {
  return { type: 'x', title: 't', status, detail: code, code, hint: '', retryable: false, details: {} };
}

test('input arrives whole and once although the daemon dies in the middle', async () => {
  const received: Buffer[] = [];
  let length = 0;
  let ended = false;
  let requests = 0;
  await using server = await ScriptedServer.start(async (request, response, body) => {
    const query = new URL(request.url ?? '', 'http://x').searchParams;
    const fresh = body.subarray(length - Number(query.get('offset')));
    received.push(fresh);
    length += fresh.length;
    ended = query.get('end') === '1';
    requests += 1;
    if (requests === 2) {
      void server
        .goAway()
        .then(() => sleep(100))
        .then(() => server.listen()); // took the bytes, never answered
      return;
    }
    answerJson(response, 200, { consumedBytes: length });
  });
  const handle = new ExecHandle(new Transport({ host: server.host }), 'sbx_1', 'exe_1');
  const input = Buffer.alloc(700_000, 'abcdefghij');
  await Promise.all([handle.write(input.subarray(0, 400_000)), handle.write(input.subarray(400_000))]);
  await handle.endInput();
  expect(Buffer.concat(received).equals(input)).toBe(true);
  expect(ended).toBe(true);
  expect(requests).toBeGreaterThan(3);
});

test('pipeInput ends quietly when the program is gone, write says so', async () => {
  await using server = await ScriptedServer.start((_request, response) => {
    answerJson(response, 409, problem('exec-ended', 409));
  });
  const handle = new ExecHandle(new Transport({ host: server.host }), 'sbx_1', 'exe_1');
  await expect(handle.write('x')).rejects.toMatchObject({ code: 'exec-ended' });
  await expect(
    handle.pipeInput(
      (function* () {
        yield 'x';
      })() as unknown as AsyncIterable<string>,
    ),
  ).resolves.toBeUndefined();
});

test('killing what has ended is no error, other refusals are', async () => {
  let code = 'exec-ended';
  await using server = await ScriptedServer.start((_request, response) => {
    answerJson(response, 409, problem(code, 409));
  });
  const handle = new ExecHandle(new Transport({ host: server.host }), 'sbx_1', 'exe_1');
  await expect(handle.kill()).resolves.toBeUndefined();
  code = 'sandbox-not-running';
  await expect(handle.kill()).rejects.toMatchObject({ code });
});

test('wait reads on from what is known and returns the end', async () => {
  const asked: string[] = [];
  await using server = await ScriptedServer.start((request, response) => {
    asked.push(request.url ?? '');
    if (request.url?.includes('/output') === true) response.end(outputFrame(3, Buffer.from(JSON.stringify(endedExec))));
    else answerJson(response, 200, { ...endedExec, state: 'running', exitCode: null, endedAt: null, outputBytes: 42 });
  });
  const handle = new ExecHandle(new Transport({ host: server.host }), 'sbx_1', 'exe_1');
  expect(await handle.wait()).toMatchObject({ state: 'ended', exitCode: 0 });
  expect(asked.at(-1)).toContain('from=42');
});
