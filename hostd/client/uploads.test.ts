import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { OffshootError } from '../errors/offshoot-error.ts';
import { SandboxFiles } from './sandbox-files.ts';
import { answerJson, ScriptedServer } from './testing/scripted-server.ts';
import { Transport } from './transport.ts';

const noHost = 'unix:/nonexistent/hostd.sock';
const away = { code: 'host-unreachable', retryable: true };

function endless(): Readable {
  return new Readable({
    read() {
      this.push(Buffer.alloc(65_536));
    },
  });
}

test('an upload to a hostd that is away is host-unreachable, whatever its body', async () => {
  const files = new SandboxFiles(new Transport({ host: noHost }), 'sbx_1');
  await expect(files.uploadArchive(endless(), '/x')).rejects.toMatchObject(away);
  await expect(files.write('/x', endless())).rejects.toMatchObject(away);
  await expect(files.write('/x', 'text')).rejects.toMatchObject(away);
});

test('an upload whose hostd dies on the way is host-unreachable', async () => {
  await using server = await ScriptedServer.start(() => undefined);
  const files = new SandboxFiles(new Transport({ host: server.host }), 'sbx_1');
  const upload = files.uploadArchive(endless(), '/x');
  upload.catch(() => undefined);
  await sleep(50);
  await server.goAway();
  await expect(upload).rejects.toMatchObject(away);
});

test('what breaks the content of an upload is said, not the connection that ends with it', async () => {
  await using server = await ScriptedServer.start((_request, response) => answerJson(response, 200, {}));
  const files = new SandboxFiles(new Transport({ host: server.host }), 'sbx_1');
  const broken = (error: Error): Readable =>
    Readable.from(
      (async function* () {
        yield Buffer.from('x');
        await sleep(10);
        throw error;
      })(),
    );
  const own = new OffshootError('local-file-error', { message: 'tar says no' });
  await expect(files.uploadArchive(broken(own), '/x')).rejects.toBe(own);
  const folder = files.write('/x', createReadStream('/usr'));
  await expect(folder).rejects.toMatchObject({ code: 'local-file-error', cause: { code: 'EISDIR' } });
});

test('an upload that is given up is aborted', async () => {
  await using server = await ScriptedServer.start(() => undefined);
  const files = new SandboxFiles(new Transport({ host: server.host }), 'sbx_1');
  const stop = new AbortController();
  setTimeout(() => stop.abort(new Error('my reason')), 50);
  await expect(files.uploadArchive(endless(), '/x', { signal: stop.signal })).rejects.toMatchObject({
    code: 'aborted',
  });
});
