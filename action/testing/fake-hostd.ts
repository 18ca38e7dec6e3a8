import { answerJson, ScriptedServer } from '../../hostd/client/testing/scripted-server.ts';
import type { EgressReport } from '../../hostd/contract/egress.ts';
import type { SandboxInfo } from '../../hostd/contract/sandbox.ts';

export const runningSandbox: SandboxInfo = {
  id: 'sbx_1',
  state: 'running',
  image: 'default',
  snapshot: null,
  forkedFrom: null,
  generation: 1,
  paused: null,
  labels: {},
  cpus: 1,
  memoryMiB: 512,
  diskMiB: 8192,
  egress: { mode: 'audit', allow: [], revision: 1 },
  isolation: { tier: 'kvm', reason: 'tests' },
  timeoutSeconds: 180,
  createdAt: '2026-01-01T00:00:00.000Z',
  startedAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-01-01T00:03:00.000Z',
  endedAt: null,
  end: null,
  usage: { wallSeconds: 10, cpuSeconds: 2.5, peakMemoryMiB: 100 },
  timings: { queuedMs: 1, startedMs: 2, readyMs: 3 },
};

export const goneSandbox: SandboxInfo = {
  ...runningSandbox,
  state: 'gone',
  endedAt: '2026-01-01T00:01:00.000Z',
  end: { reason: 'stopped', message: 'It was stopped.' },
};

/** GET /v1/sandboxes/{id}/egress of one that was denied nothing. */
export const quietReport: EgressReport = {
  policy: runningSandbox.egress,
  allowed: [],
  denied: [],
  deniedCount: 0,
  omitted: 0,
  suggestedAllow: [],
};

/** An answer, or undefined to break the connection off. */
export type Answer = { status: number; json: unknown } | undefined;

export function ok(json: unknown): Answer {
  return { status: 200, json };
}

export function problem(code: string, status: number): Answer {
  const json = {
    type: 'about:blank',
    title: code,
    status,
    detail: code,
    code,
    hint: '',
    retryable: status >= 500,
    details: {},
  };
  return { status, json };
}

/** A hostd that answers what a test says and remembers what it was asked. */
export class FakeHostd implements AsyncDisposable {
  readonly asked: string[] = [];
  /** The bodies that came with these. */
  readonly sent: string[] = [];
  readonly #server: ScriptedServer;

  private constructor(server: ScriptedServer) {
    this.#server = server;
  }

  static async start(answer: (request: string, count: number) => Answer): Promise<FakeHostd> {
    const fake: FakeHostd = new FakeHostd(
      await ScriptedServer.start((request, response, body) => {
        const what = `${request.method ?? ''} ${request.url ?? ''}`;
        fake.asked.push(what);
        fake.sent.push(body.toString());
        const given = answer(what, fake.asked.filter((earlier) => earlier === what).length);
        if (given === undefined) request.socket.destroy();
        else answerJson(response, given.status, given.json);
      }),
    );
    return fake;
  }

  get host(): string {
    return this.#server.host;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }
}
