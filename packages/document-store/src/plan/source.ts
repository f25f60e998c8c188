import type { Document } from 'bson';
import { StoreError } from '../errors.ts';
import type { RecordNumber } from '../storage/collection.ts';
import { currentSlice } from '../storage/turns.ts';
import { encode } from '../values/codec.ts';
import { decode } from '../values/decode.ts';
import { checkBytes } from '../values/sizes.ts';

/** A document on its way through a query: stored, and decoded only if something looks into it, or made on the way. */
export class Candidate {
  readonly record: RecordNumber;
  /** The slice in which it was read; in a later one, others may have changed what is stored. */
  readonly slice: number;
  #bytes: Uint8Array | undefined;
  #document?: Document;

  constructor(record: RecordNumber, bytes: Uint8Array | undefined, slice = currentSlice()) {
    this.record = record;
    this.slice = slice;
    this.#bytes = bytes;
  }

  /** A document that a stage of a pipeline made. */
  static of(document: Document): Candidate {
    const candidate = new Candidate(0, undefined);
    candidate.#document = document;
    return candidate;
  }

  get document(): Document {
    this.#document ??= decode(this.#bytes as Uint8Array);
    return this.#document;
  }

  /** Throws BSONObjectTooLarge for a made document that is larger than a document may be. */
  get bytes(): Uint8Array {
    if (!this.#bytes) {
      checkBytes(this.document);
      this.#bytes = encode(this.document);
    }
    return this.#bytes;
  }

  /** The same without the decoded document, to be held for long. */
  undecoded(): Candidate {
    return new Candidate(this.record, this.bytes, this.slice);
  }
}

/** Candidates in portions, each a short piece of work, which may be empty; between two, others may write. */
export type Source = Generator<Candidate[], undefined>;

/** What a sort or a stage of a pipeline may hold. */
const HELD_BYTES = 100 * 1024 * 1024;
const PORTION = 128;

/** Throws QueryExceededMemoryLimitNoDiskUseAllowed when a step holds too much. */
export function checkHeld(bytes: number, name: string): void {
  if (bytes <= HELD_BYTES) return;
  throw new StoreError(
    292,
    'QueryExceededMemoryLimitNoDiskUseAllowed',
    `Exceeded memory limit for ${name}: ${HELD_BYTES} bytes, and this server does not sort or group on disk.`,
  );
}

/** The candidates of documents, some at a time. */
export function* portioned(documents: Iterable<Document>): Source {
  let portion: Candidate[] = [];
  for (const document of documents) {
    if (portion.push(Candidate.of(document)) < PORTION) continue;
    yield portion;
    portion = [];
  }
  yield portion;
}
