import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { z } from 'zod';

/** Rows of one SQLite table, prepared once per statement and checked by their schema on every read. */
export class SqliteTable<Schema extends z.ZodType> {
  readonly #database: DatabaseSync;
  readonly #name: string;
  readonly #schema: Schema;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync, name: string, schema: Schema) {
    this.#database = database;
    this.#name = name;
    this.#schema = schema;
  }

  insert(row: object, onConflict: 'abort' | 'replace' = 'abort'): void {
    const columns = Object.keys(row);
    const values = columns.map((column) => `$${column}`).join(', ');
    const sql = `INSERT OR ${onConflict} INTO ${this.#name} (${columns.join(', ')}) VALUES (${values})`;
    this.prepare(sql).run(encode(row));
  }

  /** Changes the columns of `patch` in the rows whose columns equal `key`. */
  update(key: object, patch: object): void {
    const columns = Object.keys(patch);
    if (columns.length === 0) return;
    const changes = columns.map((column) => `${column} = $${column}`).join(', ');
    const keys = Object.keys(key).map((column) => `${column} = $key_${column}`);
    const named = Object.fromEntries(Object.entries(key).map(([column, value]) => [`key_${column}`, value as unknown]));
    this.prepare(`UPDATE ${this.#name} SET ${changes} WHERE ${keys.join(' AND ')}`).run(encode({ ...patch, ...named }));
  }

  delete(key: object): void {
    const keys = Object.keys(key).map((column) => `${column} = $${column}`);
    this.prepare(`DELETE FROM ${this.#name} WHERE ${keys.join(' AND ')}`).run(encode(key));
  }

  /** Rows by the rest of a SELECT after the table's name. */
  select(rest: string, parameters: object = {}): z.output<Schema>[] {
    const rows = this.prepare(`SELECT * FROM ${this.#name} ${rest}`).all(encode(parameters));
    return rows.map((row) => this.#read(row));
  }

  selectOne(rest: string, parameters: object = {}): z.output<Schema> | undefined {
    const row = this.prepare(`SELECT * FROM ${this.#name} ${rest}`).get(encode(parameters));
    return row === undefined ? undefined : this.#read(row);
  }

  prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #read(row: Record<string, unknown>): z.output<Schema> {
    const result = this.#schema.safeParse(row);
    if (result.success) return result.data;
    throw new Error(`The table ${this.#name} holds a row that is not valid: ${z.prettifyError(result.error)}`);
  }
}

function encode(values: object): Record<string, SQLInputValue> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, encodeValue(value)]));
}

function encodeValue(value: unknown): SQLInputValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'number' || typeof value === 'string' || typeof value === 'bigint') return value;
  return JSON.stringify(value);
}
