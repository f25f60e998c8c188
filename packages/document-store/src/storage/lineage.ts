import { randomBytes } from 'node:crypto';

const FILE_BYTES = 16;

/**
 * Returns the lineage mark of a new file: 16 random bytes, then 8 that count its logs. The one row of the table `lineage` holds it. The
 * first transaction of each log counts it up, so that a log can be told from that of another file.
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

/** How many logs the file has had. */
export function markNumber(mark: Uint8Array): bigint {
  return Buffer.from(mark).readBigUInt64BE(FILE_BYTES);
}

/** True for two marks of one file. */
export function sameLineage(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.from(one).subarray(0, FILE_BYTES).equals(Buffer.from(other).subarray(0, FILE_BYTES));
}
