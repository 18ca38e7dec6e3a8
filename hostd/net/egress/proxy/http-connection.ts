import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Buffer } from 'node:buffer';
import type { DenialReason } from '../policy/policy.ts';
import { dialledInstead } from './dialled-instead.ts';
import type { FlowTable } from './flow-table.ts';
import type { Flow } from './flow.ts';
import {
  exchange,
  OneSocketAgent,
  passAnswer,
  startRequest,
  switchingHead,
  type GoodRequest,
  type Upstream,
} from './http-exchange.ts';
import { hasMoreLines, valuesOf } from './http-headers.ts';
import { denialPage, failurePage } from './http-refusal.ts';
import { checkRequest } from './http-request.ts';
import { endWith } from './linger.ts';
import type { ProxyFailure } from './options.ts';
import { reach } from './reach.ts';
import { tunnel } from './tunnel.ts';

/**
 * A guest's HTTP connection. Every request is checked by itself, one after the other; requests to the same host share one upstream connection, another
 * host gets a new one. When an idle upstream connection ends, so does the guest's: it then tries again just as it would without a proxy between.
 */
export class HttpConnection {
  readonly #table: FlowTable;
  readonly #flow: Flow;
  #upstream: Upstream | undefined;
  #waiting = 0;
  #last: Promise<void> = Promise.resolve();
  #over = false;
  #answering: ServerResponse | undefined;

  constructor(table: FlowTable, flow: Flow) {
    this.#table = table;
    this.#flow = flow;
  }

  request(request: IncomingMessage, response: ServerResponse): void {
    if (this.#over) return;
    const leave = this.#enter(request);
    if (leave === undefined) {
      this.#table.failed(this.#flow, 'limit');
      this.#cut();
      return;
    }
    this.#waiting += 1;
    this.#last = this.#last.then(async () => {
      leave();
      if (!this.#over) await this.#serve(request, response);
      this.#waiting -= 1;
    });
  }

  /** A request for another protocol; node has let go of the connection, `head` came behind the request. */
  upgrade(request: IncomingMessage, head: Buffer): void {
    if (this.#over) return;
    if (this.#waiting > 0) this.reject('protocol');
    else void this.#serveUpgrade(request, head);
  }

  /** What is no request at all, or none that a proxy for servers takes. */
  reject(reason: DenialReason, shown?: string): void {
    if (this.#over) return;
    this.#table.denied(this.#flow, reason, { name: shown, address: undefined });
    // The page would be mixed into an answer that has begun.
    if (this.#answering?.headersSent === true) this.#cut();
    else this.#end(undefined, denialPage(reason, shown, true));
  }

  /** A place to wait in, until what it gives is called; undefined when there is none left. */
  #enter(request: IncomingMessage): (() => void) | undefined {
    const { limits, waitingRoom } = this.#table;
    if (this.#waiting === 0) return () => undefined;
    if (this.#waiting >= limits.pipelinedRequests) return undefined;
    return waitingRoom.take(this.#flow.sandboxId, request);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const checked = await this.#check(request);
    if (checked === undefined) return;
    const upstream = await this.#reach(request, checked, this.#upstream);
    if (upstream === undefined) return;
    this.#upstream = upstream;
    this.#answering = response;
    const end = await exchange(request, response, checked, upstream.agent, this.#table.limits);
    this.#answering = undefined;
    if (this.#over) return;
    if (end === 'unanswered') this.#fail(request, 'upstream');
    if (end === 'stale' || end === 'broken') this.#cut();
    if (end === 'done' && upstream.socket.destroyed) this.#flow.guest.destroySoon();
  }

  async #serveUpgrade(request: IncomingMessage, head: Buffer): Promise<void> {
    const { guest } = this.#flow;
    const { limits } = this.#table;
    this.#waiting += 1;
    guest.setTimeout(limits.idleMs, () => guest.resetAndDestroy());
    const checked = await this.#check(request);
    if (checked === undefined) return;
    const upstream = await this.#reach(request, checked, undefined);
    if (upstream === undefined) return;
    const [protocol = ''] = valuesOf(request.rawHeaders, 'upgrade');
    const started = startRequest(request, checked, {
      socket: upstream.socket,
      connection: ['Upgrade', 'Upgrade', protocol],
      limits,
    });
    if (started === undefined) {
      this.#fail(request, 'upstream');
      return;
    }
    started.on('error', () => {
      this.#fail(request, 'upstream');
    });
    started.on('upgrade', (answer, socket, upstreamHead) => {
      if (hasMoreLines(answer.rawHeaders, limits.headerLines)) {
        this.#fail(request, 'upstream');
        return;
      }
      this.#over = true;
      guest.write(switchingHead(answer), 'latin1');
      guest.write(upstreamHead);
      socket.write(head);
      tunnel(guest, upstream.socket, limits.idleMs);
    });
    started.on('response', (answer) => {
      this.#over = true;
      const response = new ServerResponse(request);
      response.assignSocket(guest);
      passAnswer(answer, response, true, limits.headerLines).then(
        () => {
          guest.destroySoon();
        },
        () => {
          this.#cut();
        },
      );
    });
    started.end();
  }

  async #check(request: IncomingMessage): Promise<GoodRequest | undefined> {
    const { forPort } = this.#flow.spec;
    let checked = checkRequest(request, forPort, this.#table.limits.headerLines);
    if (checked.kind === 'refused' && checked.reason === 'no-name') {
      const dialled = await dialledInstead(this.#table, this.#flow);
      checked = checkRequest(request, forPort, this.#table.limits.headerLines, dialled);
      if (this.#over) return undefined;
    }
    if (checked.kind === 'request') return checked;
    this.#table.denied(this.#flow, checked.reason, { name: checked.shown, address: undefined });
    this.#end(request, denialPage(checked.reason, checked.shown, request.method !== 'HEAD'));
    return undefined;
  }

  async #reach(request: IncomingMessage, checked: GoodRequest, open?: Upstream): Promise<Upstream | undefined> {
    const { destination } = checked;
    const usable = open?.host === destination.host && !open.socket.destroyed ? open : undefined;
    if (usable === undefined) this.#upstream = undefined;
    const reached = await reach(this.#table, this.#flow, destination, usable?.socket);
    if (reached.kind === 'denied') {
      this.#end(request, denialPage(reached.reason, destination.host, request.method !== 'HEAD'));
    }
    if (reached.kind === 'failed') {
      this.#end(request, failurePage(reached.failure, destination.host, request.method !== 'HEAD'));
    }
    if (reached.kind !== 'connected') return undefined;
    // The guest broke the protocol meanwhile.
    if (this.#over) {
      reached.socket.destroy();
      return undefined;
    }
    if (usable !== undefined) return usable;
    const { socket } = reached;
    const upstream = { host: destination.host, socket, agent: new OneSocketAgent(socket) };
    socket.once('close', () => {
      if (this.#upstream === upstream && this.#waiting === 0) this.#flow.guest.destroySoon();
    });
    return upstream;
  }

  #fail(request: IncomingMessage, failure: ProxyFailure): void {
    if (this.#over || this.#flow.guest.destroyed) return;
    this.#table.failed(this.#flow, failure);
    this.#end(request, failurePage(failure, this.#flow.destination?.host, request.method !== 'HEAD'));
  }

  #end(request: IncomingMessage | undefined, page: Buffer): void {
    this.#over = true;
    request?.resume();
    this.#upstream?.socket.destroy();
    endWith(this.#flow.guest, page, this.#table.limits.lingerMs);
  }

  #cut(): void {
    this.#over = true;
    this.#flow.cut();
  }
}
