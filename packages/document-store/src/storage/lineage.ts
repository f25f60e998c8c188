import { randomBytes } from 'node:crypto';

const FILE_BYTES = 16;

/**
 * Which file a log belongs to, and its number: 16 random bytes of the file, and 8 that count its logs. The one row of the table
 * `lineage` holds it, and the first transaction of each log counts it up, so that a log can be told from that of another file.
 */
export function firstMark(): Buffer {
  return Buffer.concat([randomBytes(FILE_BYTES), Buffer.alloc(8)]);
}

/** The mark of the log after this one's. */
export function nextMark(mark: Uint8Array): Buffer {
  const next = Buffer.from(mark);
  next.writeBigUInt64BE(next.readBigUInt64BE(FILE_BYTES) + 1n, FILE_BYTES);
  return next;
}
