import type { Socket } from 'node:net';
import type { UsageRow } from './options.ts';

type Place = Required<Pick<UsageRow, 'sandboxId' | 'port' | 'wouldDeny'>> & { name: string };

interface Row extends UsageRow {
  readonly open: Set<Socket>;
}

/** Bytes by sandbox, name, port, and why audit alone let them through. Sockets count for themselves; nothing is done per chunk. */
export class Usage {
  readonly #maxRows: number;
  readonly #sandboxes = new Map<string, Map<string, Row>>();

  constructor(maxRowsPerSandbox: number) {
    this.#maxRows = maxRowsPerSandbox;
  }

  /** Counts what goes over an upstream connection from now to its end. */
  add(place: Place, upstream: Socket): void {
    const row = this.#row(place);
    row.connections += 1;
    row.open.add(upstream);
    upstream.once('close', () => {
      row.open.delete(upstream);
      row.bytesIn += upstream.bytesRead;
      row.bytesOut += upstream.bytesWritten;
    });
  }

  rows(): UsageRow[] {
    return [...this.#sandboxes.values()].flatMap((rows) => [...rows.values()].map(summed));
  }

  forget(sandboxId: string): void {
    this.#sandboxes.delete(sandboxId);
  }

  #row({ sandboxId, name, port, wouldDeny }: Place): Row {
    const rows = this.#sandboxes.get(sandboxId) ?? new Map<string, Row>();
    this.#sandboxes.set(sandboxId, rows);
    const own = JSON.stringify([port, wouldDeny, name]);
    const shared = JSON.stringify([port, wouldDeny]);
    const key = rows.has(own) || rows.size < this.#maxRows ? own : shared;
    const row = rows.get(key) ?? {
      sandboxId,
      name: key === own ? name : undefined,
      port,
      wouldDeny,
      connections: 0,
      bytesIn: 0,
      bytesOut: 0,
      open: new Set<Socket>(),
    };
    rows.set(key, row);
    return row;
  }
}

function summed({ open, ...row }: Row): UsageRow {
  for (const socket of open) {
    row.bytesIn += socket.bytesRead;
    row.bytesOut += socket.bytesWritten;
  }
  return row;
}
