import type { Buffer } from 'node:buffer';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { freePort } from '../../../testing/free-port.ts';
import { guestQuery, readReply, type ReadReply } from '../../dns/testing/guest-message.ts';
import { a, zoneServer } from '../../dns/testing/zone-server.ts';
import { parsePolicy } from '../../policy/parse-rules.ts';
import type { EgressRule, PolicyMode } from '../../policy/policy.ts';
import { openGate, type Gate, type GateOptions } from '../gate.ts';
import { gateFolder } from '../helper-files.ts';
import type { HelperEvent } from '../helper-keeper.ts';
import type { SandboxPolicy } from '../messages.ts';
import { testFolder } from './test-folder.ts';

/** Servers of the pretended outside, by name. */
const origins = { 'a.test': '127.0.0.11', 'b.test': '127.0.0.12', 'c.test': '127.0.0.13' } as const;
export type OriginName = keyof typeof origins;

/** No user can write it: loopback is the guest's own. */
const loopbackRule: EgressRule = {
  kind: 'address',
  family: 4,
  network: '127.0.0.8',
  prefixLength: 29,
  port: 'any',
  transport: 'tcp',
  text: '127.0.0.8/29:*',
};

/** How the lab starts its helpers. */
export const labCommands = { resolver: entry('resolver-entry.ts'), proxy: entry('../proxy-process.ts') };

function entry(file: string): string[] {
  return [process.execPath, '--disable-warning=ExperimentalWarning', path.join(import.meta.dirname, file)];
}

/** Resolver and proxy in processes of their own, and an outside, all on this machine's loopback. */
export class GateLab {
  readonly events: HelperEvent[] = [];
  readonly folder: string;
  readonly port: number;
  readonly dnsPort: number;
  readonly #upstreamPort: number;
  #gates: Gate[] = [];

  private constructor(folder: string, port: number, dnsPort: number, upstreamPort: number) {
    this.folder = folder;
    this.port = port;
    this.dnsPort = dnsPort;
    this.#upstreamPort = upstreamPort;
  }

  static async open(): Promise<GateLab> {
    const zone = Object.fromEntries(
      Object.entries(origins).map(([name, address]) => [name, { answers: [a(address)] }]),
    );
    const { port: upstreamPort } = await zoneServer(zone);
    const lab = new GateLab(await testFolder(), await serveOrigins(), await freePort(), upstreamPort);
    onTestFinished(async () => {
      for (const gate of lab.#gates) await gate.stop(false);
    });
    return lab;
  }

  /** hostd's end. */
  async gate(sandboxes: readonly SandboxPolicy[], more: Partial<GateOptions> = {}): Promise<Gate> {
    const gate = await openGate({
      stateDirectory: this.folder,
      commands: labCommands,
      sandboxes,
      own: [],
      dns: {
        address: '127.0.0.1',
        port: this.dnsPort,
        resolvConf: '/nonexistent',
        upstreams: [{ address: '127.0.0.1', port: this.#upstreamPort }],
      },
      listeners: [{ address: '127.0.0.1', port: 0, forPort: this.port, layer: 'http' }],
      onEvent: (event) => this.events.push(event),
      ...more,
    });
    this.#gates.push(gate);
    return gate;
  }

  /** hostd ends; the helpers do not. */
  async leave(gate: Gate): Promise<void> {
    this.#gates = this.#gates.filter((one) => one !== gate);
    await gate.stop(true);
  }

  /** A sandbox at 127.0.0.`host` that may use these names by HTTP, and port 22 of them. */
  sandbox(
    sandboxId: string,
    host: number,
    names: readonly OriginName[],
    revision = 1,
    mode: PolicyMode = 'enforce',
  ): SandboxPolicy {
    const rules = names.flatMap((name) => [`http:${name}:${String(this.port)}`, `${name}:22`]);
    const { rules: named } = parsePolicy(mode, rules);
    const policy = { mode, rules: [...named, loopbackRule] };
    return { sandboxId, sourceAddress: `127.0.0.${String(host)}`, netnsPath: '/run/netns/none', policy, revision };
  }

  connect(gate: Gate, host: number): Socket {
    const socket = connect({
      host: '127.0.0.1',
      port: gate.listeners[0]?.port ?? 0,
      localAddress: `127.0.0.${String(host)}`,
    });
    socket.on('error', () => undefined);
    onTestFinished(() => {
      socket.destroy();
    });
    return socket;
  }

  request(name: string, url = '/'): string {
    return `GET ${url} HTTP/1.1\r\nHost: ${name}:${String(this.port)}\r\nConnection: close\r\n\r\n`;
  }

  /** Everything that comes back, as text; empty when the connection is refused or reset. */
  async fetch(gate: Gate, host: number, name: string): Promise<string> {
    const socket = this.connect(gate, host);
    socket.write(this.request(name));
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    await new Promise((resolve) => socket.once('close', resolve));
    return text;
  }

  /** Whether the guest got what it asked for. */
  async reaches(gate: Gate, host: number, name: string): Promise<boolean> {
    return (await this.fetch(gate, host, name)).includes(`this is ${name}`);
  }

  /** A download that never ends by itself; resolves when it flows. */
  async download(gate: Gate, host: number, name: string): Promise<{ socket: Socket; received: () => number }> {
    const socket = this.connect(gate, host);
    let received = 0;
    socket.write(this.request(name, '/endless'));
    socket.on('data', (chunk: Buffer) => (received += chunk.length));
    await vi.waitFor(() => {
      if (received < 1000) throw new Error('nothing flows');
    }, 10_000);
    return { socket, received: () => received };
  }

  async resolve(host: number, name: string): Promise<ReadReply> {
    const socket = createSocket('udp4').bind(0, `127.0.0.${String(host)}`);
    await once(socket, 'listening');
    try {
      socket.send(guestQuery({ name }), this.dnsPort, '127.0.0.1');
      const [bytes] = (await once(socket, 'message', { signal: AbortSignal.timeout(3000) })) as [Buffer];
      return readReply(bytes);
    } finally {
      socket.close();
    }
  }

  /** What the resolver wrote to the packet filters. */
  async writtenPins(): Promise<string[]> {
    const text = await readFile(path.join(gateFolder(this.folder), 'written-pins'), 'utf8').catch(() => '');
    return text.trim().split('\n');
  }
}

async function serveOrigins(): Promise<number> {
  const port = await freePort();
  for (const [name, address] of Object.entries(origins)) {
    const server = createServer((request, response) => {
      if (request.url === '/endless') endless(response);
      else response.end(`this is ${name}\n`);
    }).listen(port, address);
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
  }
  return port;
}

function endless(response: ServerResponse): void {
  const timer = setInterval(() => response.write('x'.repeat(1000)), 10);
  response.once('close', () => {
    clearInterval(timer);
  });
}
