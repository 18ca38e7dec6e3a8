import type { IncomingMessage } from 'node:http';
import { outputFrameMediaType, outputLineSchema, outputQuerySchema } from '../../contract/index.ts';
import { frameEncoding, lineEncoding } from '../output-encoding.ts';
import { pumpOutput } from '../output-pump.ts';
import { defineRoute } from '../route.ts';
import { started } from '../started.ts';
import { execParams } from './execs.ts';

export const execOutputRoute = defineRoute({
  id: 'readOutput',
  method: 'GET',
  path: '/v1/sandboxes/{sandboxId}/execs/{execId}/output',
  tag: 'execs',
  summary:
    'Read the output of an exec from any offset, with follow=1 until it ends. A followed output that stops without its end can be taken up again where it stopped.',
  params: execParams,
  query: outputQuerySchema,
  success: {
    200: {
      description: 'Lines of JSON, or frames when the Accept header asks for them.',
      content: { 'application/x-ndjson': outputLineSchema, [outputFrameMediaType]: 'bytes' },
    },
  },
  errors: ['sandbox-not-found', 'exec-not-found'],
  stream: 'follower',
  handle: async ({ params, query }, { host, request, response, signal, keepAliveMs }) => {
    const { sandboxId, execId } = params;
    const endedBefore = (await host.execs.get(sandboxId, execId)).state === 'ended';
    const encoding = wantsFrames(request) ? frameEncoding : lineEncoding;
    const chunks = await started(host.execs.output(sandboxId, execId, query.from, query.follow, signal));
    response.writeHead(200, { 'Content-Type': encoding.contentType, 'Cache-Control': 'no-store' });
    response.flushHeaders();
    await pumpOutput(chunks, { response, encoding, from: query.from, keepAliveMs, signal });
    if (!signal.aborted && (query.follow || endedBefore)) {
      const exec = await host.execs.get(sandboxId, execId);
      if (exec.state === 'ended') for (const part of encoding.end(exec)) response.write(part);
    }
    response.end();
    return undefined;
  },
});

function wantsFrames(request: IncomingMessage): boolean {
  const accepted = request.headers.accept ?? '';
  return accepted.split(',').some((range) => range.split(';')[0]?.trim().toLowerCase() === outputFrameMediaType);
}
