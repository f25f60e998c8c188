import { randomInt } from 'node:crypto';
import { type Document, Long } from 'bson';
import { cursorNotFound, StoreError, unauthorized } from '../errors.ts';
import { currentHolding, type Holding, holdMemory } from '../memory.ts';
import { sliceIsOver } from '../storage/turns.ts';
import { encode, MAX_DOCUMENT_BYTES, RawDocument } from '../values/codec.ts';
import type { Candidate, Source } from './source.ts';

/** How long a cursor may lie unused, in milliseconds. */
const IDLE_MS = 10 * 60 * 1000;
const MAX_OPEN = 10_000;
/** A batch ends with the document that brings it to this many bytes. */
const BATCH_BYTES = MAX_DOCUMENT_BYTES;
/** How many documents the first batch has when the client does not say. */
export const FIRST_BATCH = 101;

/** The rest of a query's results, given out batch by batch. */
export class Cursor {
  readonly id = Long.fromNumber(randomInt(1, 2 ** 47));
  readonly namespace: string;
  lastUsed = Date.now();
  readonly #source: Source;
  readonly #show: ((document: Document) => Document) | undefined;
  /** What the query holds between batches: its sorts, groups, and the documents that wait. */
  readonly #holding: Holding | undefined;
  #waiting: Candidate[] = [];
  #waitingBytes = 0;
  #ended = false;
  #closed = false;

  constructor(namespace: string, source: Source, show?: (document: Document) => Document) {
    this.namespace = namespace;
    this.#source = source;
    this.#show = show;
    this.#holding = currentHolding()?.sibling();
  }

  /** True when there is nothing more to come. */
  get ended(): boolean {
    return this.#ended && this.#waiting.length === 0;
  }

  /** The next documents, at most `size`; yields when its slice of time is over. */
  *nextBatch(size: number, onPause?: () => void): Generator<undefined, RawDocument[]> {
    const batch: RawDocument[] = [];
    let bytes = 0;
    for (;;) {
      while (this.#waiting.length === 0 && !this.#ended) {
        if (sliceIsOver()) {
          yield;
          onPause?.();
        }
        this.#pull();
      }
      let taken = 0;
      while (taken < this.#waiting.length && batch.length < size) {
        const document = this.#encoded(this.#waiting[taken] as Candidate);
        if (batch.length > 0 && bytes + document.length > BATCH_BYTES) break;
        taken += 1;
        bytes += document.length;
        holdMemory(document.length, 'a reply');
        batch.push(new RawDocument(document));
        if (sliceIsOver()) {
          yield;
          onPause?.();
        }
      }
      const full = taken < this.#waiting.length || batch.length >= size;
      this.#waiting = this.#waiting.slice(taken);
      if (full || this.#ended) break;
    }
    // Without this look ahead a client would come back once more for an empty batch.
    if (this.#waiting.length === 0 && !this.#ended && size > 0) this.#pull();
    this.#account();
    return batch;
  }

  /** Ends the query and gives its memory back. */
  close(): void {
    this.#closed = true;
    this.#holding?.release();
  }

  #pull(): void {
    if (this.#closed) throw new StoreError(237, 'CursorKilled', 'the cursor was killed');
    const next = () => this.#source.next().value;
    const portion = this.#holding ? this.#holding.during(next) : next();
    if (portion) {
      this.#waiting = portion;
      return;
    }
    this.#ended = true;
    this.#waiting = [];
    this.#holding?.release();
  }

  /** Counts the documents that wait for the next batch. */
  #account(): void {
    const bytes = this.#waiting.reduce((sum, candidate) => sum + candidate.bytes.length, 0);
    this.#holding?.remove(this.#waitingBytes);
    this.#waitingBytes = 0;
    this.#holding?.add(bytes, 'a cursor');
    this.#waitingBytes = bytes;
  }

  #encoded(candidate: Candidate): Uint8Array {
    return this.#show ? encode(this.#show(candidate.document)) : candidate.bytes;
  }
}

/** The open cursors, by id. */
export class Cursors {
  readonly #open = new Map<string, Cursor>();

  get size(): number {
    return this.#open.size;
  }

  /** Keeps a cursor for getMore. */
  keep(cursor: Cursor): void {
    if (this.#open.size >= MAX_OPEN) this.closeIdle();
    if (this.#open.size >= MAX_OPEN) throw new StoreError(1, 'InternalError', `more than ${MAX_OPEN} open cursors`);
    this.#open.set(cursor.id.toString(), cursor);
  }

  /** Throws CursorNotFound, and Unauthorized for a cursor of another collection. */
  find(id: Long, namespace: string): Cursor {
    const cursor = this.#open.get(id.toString());
    if (!cursor) throw cursorNotFound(`cursor id ${id} not found`);
    if (cursor.namespace !== namespace) {
      throw unauthorized(
        `Requested getMore on namespace '${namespace}', but cursor belongs to a different namespace ${cursor.namespace}`,
      );
    }
    cursor.lastUsed = Date.now();
    return cursor;
  }

  /** True when there was such a cursor. */
  close(id: Long): boolean {
    this.#open.get(id.toString())?.close();
    return this.#open.delete(id.toString());
  }

  closeIdle(): void {
    const oldest = Date.now() - IDLE_MS;
    for (const cursor of this.#open.values()) if (cursor.lastUsed < oldest) this.close(cursor.id);
  }

  closeAll(): void {
    for (const cursor of this.#open.values()) this.close(cursor.id);
  }
}
