import { TEXT_KINDS, type TextKind, type UnindexedText } from '@chorus/database';
import type { Logger } from '@chorus/runtime/log';
import type { TextSearchParts } from './find-texts.ts';

/** Elects one indexing process. Two would be harmless, but duplicate the work. */
export interface Lease {
  acquire(): Promise<boolean>;
}

export interface TextIndexerParts extends TextSearchParts {
  lease: Lease;
  log: Logger;
}

const BATCH_TEXTS = 500;

const BATCH_MARKS = 1_000;

const BATCH_REMOVALS = 100;
const BATCH_IDS = 1_000;

/** Delay before retrying a record that could not be indexed. */
const RETRY_AFTER_MS = 600_000;

/** Deletions are repeated after this delay, in case the record was being indexed. */
const REPEAT_AFTER_MS = 60_000;

/** How often to check an empty index, which may be new while records already exist. */
const CHECK_EMPTY_MS = 60_000;

/**
 * Brings the full-text indexes of messages and of the archive up to date with the records. Can be interrupted at any
 * time, since unfinished work is repeated.
 */
export class TextIndexer {
  readonly #parts: TextIndexerParts;
  #closed = false;
  #nextCheck = 0;
  #atOnce = BATCH_TEXTS;
  readonly #skipped = new Map<string, number>();

  constructor(parts: TextIndexerParts) {
    this.#parts = parts;
  }

  /**
   * Indexes all pending records if this process has the lease.
   *
   * @throws {ChorusError} store_unavailable
   */
  async round(now = Date.now()): Promise<{ indexed: number; removed: number }> {
    const done = { indexed: 0, removed: 0 };
    if (!(await this.#canContinue())) return done;
    for (const [mark, until] of this.#skipped) if (until < now) this.#skipped.delete(mark);
    const check = now >= this.#nextCheck;
    for (const kind of TEXT_KINDS) {
      if (check && !(await this.#fill(kind))) return done;
      done.indexed += await this.#indexAll(kind);
    }
    if (check) this.#nextCheck = now + CHECK_EMPTY_MS;
    done.removed = await this.#removeAll(new Date(now));
    return done;
  }

  close(): void {
    this.#closed = true;
  }

  async #canContinue(): Promise<boolean> {
    return !this.#closed && (await this.#parts.lease.acquire());
  }

  /** Marks all records of an empty index. Returns false if it was interrupted. */
  async #fill(kind: TextKind): Promise<boolean> {
    const { database, search, log } = this.#parts;
    // Without records, the engine is not even loaded.
    if (!(await database.texts.hasAny(kind))) return true;
    const table = await search.texts(kind);
    if ((await table.count()) > 0) return true;
    // Marks all before indexing the first: a process that dies in between leaves an empty index, which is
    // detected again.
    let marked = 0;
    for (let after: string | null = ''; after !== null; marked += BATCH_MARKS) {
      if (!(await this.#canContinue())) return false;
      after = await database.texts.markAll(kind, { after, limit: BATCH_MARKS });
    }
    if (marked > BATCH_MARKS) log.info({ kind }, 'the full-text index is empty; indexing all records');
    return true;
  }

  async #indexAll(kind: TextKind): Promise<number> {
    const { database } = this.#parts;
    let indexed = 0;
    for (let after: string | undefined; await this.#canContinue(); ) {
      const texts = await database.texts.listUnindexed(kind, { after, limit: this.#atOnce });
      if (texts.length === 0) break;
      indexed += await this.#index(kind, texts);
      after = texts.at(-1)?.mark;
    }
    return indexed;
  }

  /**
   * Tries fewer records after a failure, to find one that cannot be indexed and skip it for a while. If the
   * index is down, this only costs time.
   */
  async #index(kind: TextKind, listed: readonly UnindexedText[]): Promise<number> {
    const texts = listed.filter(({ mark }) => !this.#skipped.has(mark));
    try {
      if (texts.length > 0) await this.#put(kind, texts);
    } catch (error) {
      const [only, ...more] = texts;
      this.#atOnce = Math.max(1, Math.floor(this.#atOnce / 8));
      if (only !== undefined && more.length === 0) {
        this.#skipped.set(only.mark, Date.now() + RETRY_AFTER_MS);
        this.#parts.log.warn({ err: error, kind, record_id: only.id }, 'could not index a record');
      }
      throw error;
    }
    this.#atOnce = Math.min(BATCH_TEXTS, this.#atOnce * 2);
    return texts.length;
  }

  async #put(kind: TextKind, texts: readonly UnindexedText[]): Promise<void> {
    const { database, search } = this.#parts;
    const table = await search.texts(kind);
    const [empty, filled] = [texts.filter(({ text }) => text === ''), texts.filter(({ text }) => text !== '')];
    await table.put(filled.map(({ mark, ...row }) => ({ ...row, facts: {} })));
    await table.remove(empty.map(({ id }) => id));
    await database.texts.clearMarks(kind, texts);
  }

  async #removeAll(now: Date): Promise<number> {
    const { texts } = this.#parts.database;
    let removed = 0;
    while (await this.#canContinue()) {
      const removals = await texts.listRemovals(now, BATCH_REMOVALS);
      if (removals.length === 0) break;
      for (const kind of TEXT_KINDS) {
        const ids = removals.filter((one) => one.kind === kind).flatMap(({ record_ids }) => record_ids);
        for (let at = 0; at < ids.length; at += BATCH_IDS)
          removed += await this.#remove(kind, ids.slice(at, at + BATCH_IDS));
      }
      const again = new Date(now.getTime() + REPEAT_AFTER_MS);
      for (const { id, seen } of removals) await texts.setRemovalDue(id, seen ? null : again);
    }
    return removed;
  }

  async #remove(kind: TextKind, ids: readonly string[]): Promise<number> {
    const { database, search } = this.#parts;
    // A record that still exists was not deleted, or is being deleted and is found missing next time.
    const existing = await database.texts.existing(kind, ids);
    const gone = ids.filter((id) => !existing.has(id));
    await (await search.texts(kind)).remove(gone);
    return gone.length;
  }
}
