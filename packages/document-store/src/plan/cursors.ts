import { randomInt } from 'node:crypto';
import { type Document, Long } from 'bson';
import { cursorNotFound, StoreError, unauthorized } from '../errors.ts';
import { currentAccount, type MemoryAccount, reserveMemory } from '../memory.ts';
import { type Steps, sliceIsOver } from '../storage/scheduler.ts';
import { encode, MAX_DOCUMENT_BYTES, RawDocument } from '../values/codec.ts';
import type { Candidate, Source } from './source.ts';

/** Cursors close after this time without use. */
const IDLE_MS = 10 * 60 * 1000;
const MAX_OPEN = 10_000;
/** The document that reaches this size ends a batch. */
const MAX_BATCH_BYTES = MAX_DOCUMENT_BYTES;
export const FIRST_BATCH_SIZE = 101;

export class Cursor {
  readonly id = Long.fromNumber(randomInt(1, 2 ** 47));
  readonly namespace: string;
  lastUsed = Date.now();
  readonly #source: Source;
  readonly #show: ((document: Document) => Document) | undefined;
  readonly #account: MemoryAccount | undefined;
  #buffer: Candidate[] = [];
  #bufferBytes = 0;
  #ended = false;
  #closed = false;

  constructor(namespace: string, source: Source, show?: (document: Document) => Document) {
    this.namespace = namespace;
    this.#source = source;
    this.#show = show;
    this.#account = currentAccount()?.openSibling();
  }

  get ended(): boolean {
    return this.#ended && this.#buffer.length === 0;
  }

  *nextBatch(size: number, onPause?: () => void): Steps<RawDocument[]> {
    const batch: RawDocument[] = [];
    let bytes = 0;
    for (;;) {
      while (this.#buffer.length === 0 && !this.#ended) {
        if (sliceIsOver()) {
          yield;
          onPause?.();
        }
        this.#fetchChunk();
      }
      let taken = 0;
      while (taken < this.#buffer.length && batch.length < size) {
        const document = this.#encode(this.#buffer[taken] as Candidate);
        if (batch.length > 0 && bytes + document.length > MAX_BATCH_BYTES) break;
        taken += 1;
        bytes += document.length;
        reserveMemory(document.length, 'a reply');
        batch.push(new RawDocument(document));
        if (sliceIsOver()) {
          yield;
          onPause?.();
        }
      }
      const full = taken < this.#buffer.length || batch.length >= size;
      this.#buffer = this.#buffer.slice(taken);
      if (full || this.#ended) break;
    }
    // Look ahead, so that the client need not come back for an empty batch.
    if (this.#buffer.length === 0 && !this.#ended && size > 0) this.#fetchChunk();
    this.#accountForBuffer();
    return batch;
  }

  close(): void {
    this.#closed = true;
    this.#account?.close();
  }

  #fetchChunk(): void {
    if (this.#closed) throw new StoreError(237, 'CursorKilled', 'the cursor was killed');
    const next = () => this.#source.next().value;
    const chunk = this.#account ? this.#account.run(next) : next();
    if (chunk) {
      this.#buffer = chunk;
      return;
    }
    this.#ended = true;
    this.#buffer = [];
    this.#account?.close();
  }

  #accountForBuffer(): void {
    const bytes = this.#buffer.reduce((sum, candidate) => sum + candidate.bytes.length, 0);
    this.#account?.release(this.#bufferBytes);
    this.#bufferBytes = 0;
    this.#account?.reserve(bytes, 'a cursor');
    this.#bufferBytes = bytes;
  }

  #encode(candidate: Candidate): Uint8Array {
    return this.#show ? encode(this.#show(candidate.document)) : candidate.bytes;
  }
}

export class Cursors {
  readonly #open = new Map<string, Cursor>();

  get size(): number {
    return this.#open.size;
  }

  add(cursor: Cursor): void {
    if (this.#open.size >= MAX_OPEN) this.closeIdle();
    if (this.#open.size >= MAX_OPEN) throw new StoreError(1, 'InternalError', `more than ${MAX_OPEN} open cursors`);
    this.#open.set(cursor.id.toString(), cursor);
  }

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
