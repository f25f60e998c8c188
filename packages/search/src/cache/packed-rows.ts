import { setImmediate as othersFirst } from 'node:timers/promises';
import { type PackedPostings, PostingsBuilder } from './packed-postings.ts';
import { shorten } from './short-vector.ts';

/** Values of a text column: its UTF-8 bytes, and where each text starts and ends. */
export interface TextColumn {
  values: Uint8Array;
  offsets: Int32Array;
}

/** Rows of the table as the engine returns them, in columns. */
export interface RowBatch {
  rows: BigUint64Array;
  /** Terms separated by spaces. */
  terms: TextColumn;
  /** Null for rows without a vector. */
  vectorAt(at: number): Float32Array | null;
}

/** Number of rows to pack before other work of the process runs: a few milliseconds. */
const ROWS_PER_SLICE = 250;

/** The last builder, whose memory is reused, since allocating it for each scope would double the time. */
let spare: PostingsBuilder | null = null;
const MAX_SPARE_BYTES = 8 * 1024 * 1024;

/** Search data of rows that were read together. Never changes. */
export interface PackedRows {
  /** Row numbers in the table. */
  rows: BigUint64Array;
  /** Number of terms of each row. */
  lengths: Uint32Array;
  postings: PackedPostings;
  /** Directions of all vectors. */
  vectors: Int16Array;
  hasVector: Uint8Array;
  bytes: number;
}

export async function packRows(batches: readonly RowBatch[], dimensions: number): Promise<PackedRows> {
  const size = batches.reduce((sum, { rows }) => sum + rows.length, 0);
  const rows = new BigUint64Array(size);
  const lengths = new Uint32Array(size);
  const vectors = new Int16Array(size * dimensions);
  const hasVector = new Uint8Array(size);
  const builder = spare ?? new PostingsBuilder();
  spare = null;
  builder.clear();
  let first = 0;
  for (const batch of batches) {
    const { values, offsets } = batch.terms;
    rows.set(batch.rows, first);
    for (let at = 0; at < batch.rows.length; at += 1) {
      const row = first + at;
      if (row > 0 && row % ROWS_PER_SLICE === 0) await othersFirst();
      lengths[row] = builder.add(row, values, offsets[at]!, offsets[at + 1]!);
      const vector = batch.vectorAt(at);
      if (vector === null) continue;
      shorten(vector, vectors, row * dimensions);
      hasVector[row] = 1;
    }
    first += batch.rows.length;
  }
  const postings = builder.build();
  if (builder.bytes <= MAX_SPARE_BYTES) spare = builder;
  const bytes = rows.byteLength + lengths.byteLength + vectors.byteLength + hasVector.byteLength + postings.bytes;
  return { rows, lengths, postings, vectors, hasVector, bytes };
}
