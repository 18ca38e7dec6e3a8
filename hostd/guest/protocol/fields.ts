import { ProtocolViolation } from './frame.ts';

export type FieldValue = string | number | Buffer;
/** A key of lower-case ASCII and its value; numbers travel as decimal ASCII. */
export type Field = readonly [key: string, value: FieldValue];

/** Fields as they came: order kept, keys may repeat. */
export interface DecodedField {
  key: string;
  value: Buffer;
}

/** The bytes of the fields: `[u8 key length][key][u32 value length][value]` each. */
export function encodeFields(fields: readonly Field[]): Buffer {
  const values = fields.map(([, value]) => (Buffer.isBuffer(value) ? value : Buffer.from(String(value))));
  let size = 0;
  for (const [index, [key]] of fields.entries()) size += 5 + key.length + (values[index]?.length ?? 0);
  const bytes = Buffer.allocUnsafe(size);
  let position = 0;
  for (const [index, [key]] of fields.entries()) {
    const value = values[index] ?? Buffer.alloc(0);
    position = bytes.writeUInt8(key.length, position);
    position += bytes.write(key, position, 'latin1');
    position = bytes.writeUInt32LE(value.length, position);
    position += value.copy(bytes, position);
  }
  return bytes;
}

const keyPattern = /^[a-z0-9][a-z0-9-]*$/;

/** Reads fields that fill `bytes` exactly; the values are views. Throws ProtocolViolation. */
export function decodeFields(bytes: Buffer, maxFields: number): DecodedField[] {
  const fields: DecodedField[] = [];
  let position = 0;
  while (position < bytes.length) {
    if (fields.length === maxFields) throw new ProtocolViolation(`more than ${String(maxFields)} fields`);
    const keyEnd = position + 1 + bytes.readUInt8(position);
    if (keyEnd + 4 > bytes.length) throw new ProtocolViolation('a field is cut short');
    const key = bytes.toString('latin1', position + 1, keyEnd);
    if (!keyPattern.test(key)) throw new ProtocolViolation('a field has a malformed key');
    const valueEnd = keyEnd + 4 + bytes.readUInt32LE(keyEnd);
    if (valueEnd > bytes.length) throw new ProtocolViolation('a field is cut short');
    fields.push({ key, value: bytes.subarray(keyEnd + 4, valueEnd) });
    position = valueEnd;
  }
  return fields;
}

/** The first value of each key as text: what zod schemas read. */
export function fieldTexts(fields: readonly DecodedField[]): Record<string, string> {
  const texts = new Map<string, string>();
  for (const { key, value } of fields) if (!texts.has(key)) texts.set(key, value.toString('utf8'));
  return Object.fromEntries(texts);
}
