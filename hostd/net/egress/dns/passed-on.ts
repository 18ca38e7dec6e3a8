import type { Buffer } from 'node:buffer';
import type { GuestQuery } from './query.ts';
import { serverFailure, type Reply } from './reply.ts';
import { headerBytes, plainName, rcodes, readName, readRecords } from './wire.ts';

/** A server's answer to the guest's own question, for the guest: the answer section as it is, the others left away. Pointers in it stay right, as header and question keep their lengths. */
export function passedOn(query: GuestQuery, response: Buffer): Reply {
  if (response.length < headerBytes || response.readUInt16BE(4) !== 1) return serverFailure;
  const rcode = response.readUInt8(3) & 0x0f;
  if (rcode !== rcodes.noError && rcode !== rcodes.noSuchName) return serverFailure;
  const asked = readName(response, headerBytes, 'refuse');
  const isSame =
    asked !== undefined &&
    plainName(asked.labels) === query.name &&
    asked.end + 4 - headerBytes === query.question.length &&
    response.subarray(asked.end, asked.end + 4).equals(query.question.subarray(-4));
  if (!isSame) return serverFailure;
  const answers = readRecords(response, asked.end + 4, response.readUInt16BE(6));
  if (answers === undefined) return serverFailure;
  let start = asked.end + 4;
  const records = answers.records.map(({ dataEnd }) => {
    const record = response.subarray(start, dataEnd);
    start = dataEnd;
    return record;
  });
  return { rcode, answers: records };
}
