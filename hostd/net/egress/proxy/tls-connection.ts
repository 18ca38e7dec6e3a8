import type { Buffer } from 'node:buffer';
import { ClientHelloReader, type HelloProgress } from './client-hello-reader.ts';
import type { FlowTable } from './flow-table.ts';
import type { Flow } from './flow.ts';
import { resetWith } from './linger.ts';
import { reach } from './reach.ts';
import { tlsAlert, type TlsAlert } from './tls-alert.ts';
import { tunnel } from './tunnel.ts';

/** Reads the server name that a guest asks for, dials it if the policy allows, and passes all bytes on as they came. TLS is never opened. */
export function serveTls(table: FlowTable, flow: Flow): void {
  const { guest } = flow;
  const reader = new ClientHelloReader(table.limits.bytesUntilName);
  const deadline = setTimeout(() => {
    stopReading();
    deny(table, flow, 'no-name', undefined, 'unrecognizedName');
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
    guest.pause();
  };
  const onEnd = (): void => {
    stopReading();
    guest.destroy();
  };
  guest.once('close', () => {
    clearTimeout(deadline);
  });
  guest.on('data', onData);
  guest.on('end', onEnd);
}

async function decide(table: FlowTable, flow: Flow, hello: HelloProgress, reader: ClientHelloReader): Promise<void> {
  if (hello.state !== 'read') {
    if (hello.state === 'not-tls') deny(table, flow, 'protocol', undefined, undefined);
    else if (hello.state === 'too-long') deny(table, flow, 'no-name', undefined, 'unrecognizedName');
    else deny(table, flow, 'protocol', undefined, 'decodeError');
    return;
  }
  const { serverName } = hello;
  if (serverName.kind === 'none') {
    deny(table, flow, 'no-name', undefined, 'unrecognizedName');
    return;
  }
  if (serverName.kind === 'odd') {
    deny(table, flow, 'sni', serverName.shown, 'unrecognizedName');
    return;
  }
  const destination = { host: serverName.name, literal: false, port: flow.spec.forPort, layer: 'tls' as const };
  const reached = await reach(table, flow, destination);
  if (reached.kind === 'denied') resetWith(flow.guest, tlsAlert('accessDenied'));
  if (reached.kind === 'failed') resetWith(flow.guest, tlsAlert('internalError'));
  if (reached.kind !== 'connected') return;
  reached.socket.write(reader.bytes);
  tunnel(flow.guest, reached.socket, table.limits.idleMs);
}

/** Without an alert for what is not TLS: it would not understand. */
function deny(
  table: FlowTable,
  flow: Flow,
  reason: 'no-name' | 'protocol' | 'sni',
  name: string | undefined,
  alert: TlsAlert | undefined,
): void {
  if (flow.guest.destroyed) return;
  table.denied(flow, reason, { name });
  if (alert === undefined) flow.guest.resetAndDestroy();
  else resetWith(flow.guest, tlsAlert(alert));
}
