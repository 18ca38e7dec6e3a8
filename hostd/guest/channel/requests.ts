import { OffshootError } from '../../errors/offshoot-error.ts';
import type { GuestMetrics, ResumeIdentity } from '../guest.ts';
import type { Field } from '../protocol/fields.ts';
import { ProtocolViolation } from '../protocol/frame.ts';
import { type EndResult, parseMetrics } from '../protocol/results.ts';
import type { GuestChannel } from './channel.ts';
import { closedError, protocolError, unresponsive } from './errors.ts';
import { StreamLostError } from './stream-setup.ts';
import { flag, openFields, optional } from './open-fields.ts';

/** Asks the agent one question: a stream without data. Fails with `guest-unresponsive` when the deadline passes. */
async function ask(
  channel: GuestChannel,
  kind: string,
  parameters: () => readonly Field[],
  timeoutMs: number,
): Promise<EndResult> {
  if (channel.hello?.capabilities.has(kind) !== true)
    return { ok: false, error: 'unknown-kind', message: `The agent knows no ${kind}.`, texts: {} };
  const stream = channel.openStream({
    id: channel.reserveStreamId(),
    fields: () => openFields(kind, parameters()),
    consume: () => {
      throw new ProtocolViolation(`${kind} has no data`);
    },
  });
  const timer = setTimeout(() => {
    stream.fail(unresponsive(kind, timeoutMs));
    stream.close();
    channel.doubt();
  }, timeoutMs);
  try {
    return await stream.ended;
  } catch (error) {
    if (error instanceof ProtocolViolation) throw protocolError(error);
    if (!(error instanceof StreamLostError)) throw error;
    throw new OffshootError('guest-unresponsive', { message: `The agent has lost ${kind}.`, details: { kind } });
  } finally {
    clearTimeout(timer);
    stream.close();
  }
}

function expectOk(kind: string, end: EndResult): Record<string, string> {
  if (end.ok) return end.texts;
  const code = end.error === 'no-space' ? 'guest-disk-full' : 'guest-protocol';
  throw new OffshootError(code, {
    message: `${kind} failed: ${end.error}: ${end.message}`,
    details: { reason: end.error },
  });
}

export async function metrics(channel: GuestChannel, timeoutMs: number): Promise<GuestMetrics> {
  const texts = expectOk('metrics', await ask(channel, 'metrics', () => [], timeoutMs));
  try {
    return parseMetrics(texts);
  } catch (error) {
    throw error instanceof ProtocolViolation ? protocolError(error) : error;
  }
}

export async function sync(channel: GuestChannel, timeoutMs: number): Promise<void> {
  expectOk('sync', await ask(channel, 'sync', () => [], timeoutMs));
}

export async function shutdown(channel: GuestChannel, timeoutMs: number): Promise<void> {
  expectOk('shutdown', await ask(channel, 'shutdown', () => [], timeoutMs));
}

/**
 * Stops all processes of the workload. The agent is given less time than the caller waits, so that its answer still counts. Fails with
 * `guest-unresponsive` when some did not stop in time (all go on then) or no answer came (thaw to be sure), `guest-protocol` otherwise.
 */
export async function freezeWorkload(channel: GuestChannel, timeoutMs: number): Promise<void> {
  const agentTimeoutMs = withinDeadline(timeoutMs);
  const end = await ask(channel, 'freeze-workload', () => [['timeout-ms', agentTimeoutMs]], timeoutMs);
  if (!end.ok && end.error === 'timeout')
    throw new OffshootError('guest-unresponsive', {
      message: `Processes in the sandbox could not be stopped within ${String(agentTimeoutMs)} ms; they go on.`,
      details: { reason: 'not-frozen', operation: 'freeze-workload', timeoutMs: agentTimeoutMs },
    });
  expectOk('freeze-workload', end);
}

export async function thawWorkload(channel: GuestChannel, timeoutMs: number): Promise<void> {
  expectOk('thaw-workload', await ask(channel, 'thaw-workload', () => [], timeoutMs));
}

/** What the agent may take for something whose answer is awaited for `timeoutMs`. */
function withinDeadline(timeoutMs: number): number {
  return Math.max(1, Math.floor(timeoutMs * 0.8));
}

const maxHooksMs = 8000;
const stepPattern = /^[a-z-]{1,32}$/;

/** The clock goes in at the moment of sending, also when a cut makes it go twice. */
export async function prepareResume(channel: GuestChannel, identity: ResumeIdentity, timeoutMs: number): Promise<void> {
  const parameters = (): Field[] => [
    ['entropy', identity.entropy],
    ['clock-ns', `${String(Date.now())}000000`],
    ...optional('hostname', identity.hostname),
    ...optional('machine-id', identity.machineId),
    ...optional('boot-id', identity.bootId),
    ...flag('drop-streams', identity.dropStreams),
    ...optional('generation', identity.generation),
    ...optional('nameserver', identity.nameserver),
    ...copiedParameters(identity.copied, timeoutMs),
  ];
  const end = await ask(channel, 'prepare-resume', parameters, timeoutMs);
  if (!end.ok) {
    const step = stepPattern.exec(end.texts['step'] ?? '')?.[0];
    throw new OffshootError('boot-failed', {
      message: `The sandbox could not take up its identity: ${end.error}: ${end.message}`,
      details: { reason: end.error, ...(step === undefined ? {} : { step }) },
    });
  }
  if (identity.dropStreams) channel.forgetStrays();
}

function copiedParameters(copied: boolean | undefined, timeoutMs: number): Field[] {
  if (copied !== true) return [];
  return [...flag('copied', true), ['hooks-timeout-ms', Math.min(maxHooksMs, withinDeadline(timeoutMs))]];
}

/** Fails with `guest-unresponsive` at the deadline, and at once when the channel closes for good. */
export async function ping(channel: GuestChannel, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let giveUp: (() => void) | undefined;
  const answered = new Promise<void>((resolve, reject) => {
    giveUp = channel.ping(resolve);
    timer = setTimeout(() => {
      reject(unresponsive('ping', timeoutMs));
      channel.doubt();
    }, timeoutMs);
  });
  const closed = channel.closed.then((reason) => Promise.reject(closedError(reason)));
  try {
    await Promise.race([answered, closed]);
  } finally {
    clearTimeout(timer);
    giveUp?.();
    closed.catch(() => undefined);
  }
}
