import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { ulid } from 'ulid';
import type { ResumeIdentity } from '../guest/guest.ts';

export function newSandboxId(): string {
  return `sbx_${ulid()}`;
}

export function newExecId(): string {
  return `exe_${ulid()}`;
}

/** Keyed, so that a hash in the database tells nothing about short secrets in a request. Member order does not matter. */
export function requestHash(key: Buffer, request: unknown): string {
  return createHmac('sha256', key).update(canonicalJson(request)).digest('hex');
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

export function newForkId(): string {
  return `frk_${ulid()}`;
}

/** What a machine that only stood still is told: it stays who it is. */
export function sameIdentity(): ResumeIdentity {
  return { entropy: randomBytes(64), dropStreams: false };
}

/**
 * What one restored machine is told to be; nothing of it is used twice. `generation` counts the forks on the way to it; `copied` tells one
 * whose software has had a life already.
 */
export function freshIdentity(
  sandboxId: string,
  nameserver: string | undefined,
  { generation, copied } = { generation: 1, copied: false },
): ResumeIdentity {
  return {
    entropy: randomBytes(64),
    hostname: hostnameOf(sandboxId),
    machineId: randomBytes(16).toString('hex'),
    bootId: randomUUID(),
    generation,
    dropStreams: true,
    copied,
    ...(nameserver === undefined ? {} : { nameserver }),
  };
}

/** A host name label: letters, digits and inner hyphens, at most 63. */
export function hostnameOf(sandboxId: string): string {
  const label = sandboxId.toLowerCase().replaceAll('_', '-').slice(0, 63);
  return label.replace(/-+$/, '');
}
