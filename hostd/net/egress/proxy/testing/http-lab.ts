import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import type { ProxyListener } from '../options.ts';
import { addresses, Lab, untilClosed } from './lab.ts';

export interface SeenRequest {
  line: string;
  rawHeaders: string[];
  body: string;
}

/** A lab with a listener for HTTP and three names; what is opened is put on the list of what is to be closed. */
export async function openHttpLab(
  opened: Lab[],
  ...args: Parameters<typeof Lab.open>
): Promise<{ lab: Lab; listener: ProxyListener }> {
  const lab = await Lab.open(...args);
  opened.push(lab);
  lab.zone.set('good.test', [addresses.good]);
  lab.zone.set('other.test', [addresses.other]);
  lab.zone.set('evil.test', [addresses.evil]);
  return { lab, listener: await lab.listen('http') };
}

/** Answers with who it is and what it was asked, and keeps that. */
export async function serveHttp(
  lab: Lab,
  address: keyof typeof addresses,
  port = 80,
  answer?: RequestListener,
): Promise<SeenRequest[]> {
  const seen: SeenRequest[] = [];
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    void bodyOf(request).then((body) => {
      seen.push({ line: `${request.method ?? ''} ${request.url ?? ''}`, rawHeaders: request.rawHeaders, body });
      if (answer !== undefined) answer(request, response);
      else response.end(`${address} ${request.url ?? ''}\n`);
    });
  });
  await lab.serve(addresses[address], port, server);
  return seen;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('latin1');
}

/** Sends this text, and reads until the connection is closed. */
export async function say(lab: Lab, listener: ProxyListener, text: string): Promise<string> {
  const guest = lab.connect(listener);
  guest.write(Buffer.from(text, 'latin1'));
  return (await untilClosed(guest)).bytes.toString('latin1');
}

export function get(host: string, path = '/', ...headers: string[]): string {
  return [`GET ${path} HTTP/1.1`, `Host: ${host}`, ...headers, '', ''].join('\r\n');
}

export async function untilText(guest: Socket, text: string): Promise<string> {
  let seen = '';
  while (!seen.includes(text)) {
    const [chunk] = (await once(guest, 'data')) as [Buffer];
    seen += chunk.toString('latin1');
  }
  return seen;
}
