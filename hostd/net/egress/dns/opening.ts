import type { Pin } from './pin-document.ts';

/** Of one opening, the ones asked for last: a wildcard has any number of names for one address. All openings' fit a document. */
const maxNamesPerOpening = 20;

/** One address, port and transport; open for the sake of one or more names. */
export interface Opening {
  key: string;
  pin: Pin;
  /** By name: when it ends. None: it is to be closed. */
  names: Map<string, number>;
}

/** A name that makes room leaves its life to the one that comes: whoever was told the address goes on using it. */
export function holdFor({ names }: Opening, name: string, endMs: number): void {
  names.delete(name);
  const leaving = [...names].slice(0, Math.max(0, names.size + 1 - maxNamesPerOpening));
  for (const [left] of leaving) names.delete(left);
  names.set(name, Math.max(endMs, ...leaving.map(([, leftMs]) => leftMs)));
}

export function endOf(names: ReadonlyMap<string, number>): number {
  return Math.max(...names.values());
}
