import type { Document } from 'bson';
import { StoreError } from '../errors.ts';
import type { RecordNumber } from '../storage/collection.ts';
import { currentSlice } from '../storage/scheduler.ts';
import { checkSize, encode } from '../values/codec.ts';
import { decode } from '../values/decode.ts';

/** A document in a query: stored and decoded on demand, or computed by a stage. */
export class Candidate {
  readonly record: RecordNumber;
  /** The slice that read it. In later slices, the stored document may have changed. */
  readonly slice: number;
  #bytes: Uint8Array | undefined;
  #document?: Document;

  constructor(record: RecordNumber, bytes: Uint8Array | undefined, slice = currentSlice()) {
    this.record = record;
    this.slice = slice;
    this.#bytes = bytes;
  }

  static of(document: Document): Candidate {
    const candidate = new Candidate(0, undefined);
    candidate.#document = document;
    return candidate;
  }

  get document(): Document {
    this.#document ??= decode(this.#bytes as Uint8Array);
    return this.#document;
  }

  /** Throws BSONObjectTooLarge for a computed document over the size limit. */
  get bytes(): Uint8Array {
    if (!this.#bytes) {
      checkSize(this.document);
      this.#bytes = encode(this.document);
    }
    return this.#bytes;
  }

  /** Returns a copy without the decoded document, to keep in memory. */
  withoutDocument(): Candidate {
    return new Candidate(this.record, this.bytes, this.slice);
  }
}

/** Chunks of candidates, possibly empty. Other commands may write between two chunks. */
export type Source = Generator<Candidate[], undefined>;

const MAX_STAGE_BYTES = 100 * 1024 * 1024;
const CHUNK_SIZE = 128;

export function checkStageMemory(bytes: number, name: string): void {
  if (bytes <= MAX_STAGE_BYTES) return;
  throw new StoreError(
    292,
    'QueryExceededMemoryLimitNoDiskUseAllowed',
    `Exceeded memory limit for ${name}: ${MAX_STAGE_BYTES} bytes, and this server does not sort or group on disk.`,
  );
}

export function* inChunks(documents: Iterable<Document>): Source {
  let chunk: Candidate[] = [];
  for (const document of documents) {
    if (chunk.push(Candidate.of(document)) < CHUNK_SIZE) continue;
    yield chunk;
    chunk = [];
  }
  yield chunk;
}
