import type { Buffer } from 'node:buffer';
import { passByAddress } from './by-address.ts';
import { ClientHelloReader, type HelloProgress } from './client-hello-reader.ts';
import type { NamelessReason } from './decision.ts';
import type { FlowTable } from './flow-table.ts';
import type { Flow } from './flow.ts';
import { resetWith } from './linger.ts';
import { reach } from './reach.ts';
import { tlsAlert, type TlsAlert } from './tls-alert.ts';
import { tunnel } from './tunnel.ts';

/**
 * Reads the server name that a guest asks for, dials it if the policy allows, and passes all bytes on as they came. TLS is never opened. What has no
 * name is denied, but for audit mode, in which it goes where the guest dialled.
 */
export function serveTls(table: FlowTable, flow: Flow): void {
  const { guest } = flow;
  const reader = new ClientHelloReader(table.limits.bytesUntilName);
  const deadline = setTimeout(() => {
    stopReading();
    void withoutName(table, flow, reader, { reason: 'no-name', alert: 'unrecognizedName' });
  }, table.limits.nameDeadlineMs);
  const onData = (chunk: Buffer): void => {
    const progress = reader.push(chunk);
    if (progress.state === 'more') return;
    stopReading();
    void decide(table, flow, progress, reader);
  };
  const stopReading = (): void => {
    clearTimeout(deadline);
    guest.off('data', onData);
    guest.off('end', onEnd);
    // A listener that stays keeps the bytes read here for as long as the connection is open.
    guest.off('close', onClose);
    guest.pause();
  };
  const onEnd = (): void => {
    stopReading();
    guest.destroy();
  };
  const onClose = (): void => {
    clearTimeout(deadline);
  };
  guest.once('close', onClose);
  guest.on('data', onData);
  guest.on('end', onEnd);
}

async function decide(table: FlowTable, flow: Flow, hello: HelloProgress, reader: ClientHelloReader): Promise<void> {
  const trouble = troubleWith(hello);
  if (trouble !== undefined) return withoutName(table, flow, reader, trouble);
  if (hello.state !== 'read' || hello.serverName.kind !== 'name') return;
  const { name: host } = hello.serverName;
  const destination = { host, literal: false, port: flow.spec.forPort, layer: 'tls' as const };
  const reached = await reach(table, flow, destination);
  if (reached.kind === 'denied') resetWith(flow.guest, tlsAlert('accessDenied'));
  if (reached.kind === 'failed') resetWith(flow.guest, tlsAlert('internalError'));
  if (reached.kind !== 'connected') return;
  reached.socket.write(reader.bytes);
  tunnel(flow.guest, reached.socket, table.limits.idleMs);
}

interface Trouble {
  reason: NamelessReason;
  /** As the guest sent it. */
  shown?: string;
  /** None for what is not TLS: it would not understand. */
  alert?: TlsAlert;
}

function troubleWith(hello: HelloProgress): Trouble | undefined {
  if (hello.state === 'not-tls') return { reason: 'protocol' };
  if (hello.state === 'too-long') return { reason: 'no-name', alert: 'unrecognizedName' };
  if (hello.state !== 'read') return { reason: 'protocol', alert: 'decodeError' };
  const { serverName } = hello;
  if (serverName.kind === 'none') return { reason: 'no-name', alert: 'unrecognizedName' };
  if (serverName.kind === 'odd') return { reason: 'sni', shown: serverName.shown, alert: 'unrecognizedName' };
  return undefined;
}

async function withoutName(
  table: FlowTable,
  flow: Flow,
  { bytes }: ClientHelloReader,
  trouble: Trouble,
): Promise<void> {
  const { reason, shown, alert } = trouble;
  if (flow.guest.destroyed || (await passByAddress(table, flow, reason, bytes)) || flow.guest.destroyed) return;
  table.denied(flow, reason, { name: shown });
  if (alert === undefined) flow.guest.resetAndDestroy();
  else resetWith(flow.guest, tlsAlert(alert));
}
