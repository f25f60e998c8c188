import { TEXT_KINDS, type TextKind, type UnindexedText } from '@chorus/database';
import type { Logger } from '@chorus/log';
import type { TextSearchParts } from './find-texts.ts';

/** Of the processes that index one does: two at once would do no harm, but the work twice. */
export interface Lease {
  /** Whether this process has it now; it lasts some seconds and is to be asked for again. */
  ask(): Promise<boolean>;
}

export interface TextIndexerParts extends TextSearchParts {
  lease: Lease;
  log: Logger;
}

/** What is indexed in one step; long texts fill one sooner. */
const TEXTS = 500;

/** Records marked in one step when an index is made anew. */
const MARKS = 1_000;

/** Deletions, and ids among them, that are worked off in one step. */
const REMOVALS = 100;
const IDS = 1_000;

/** A record that could not be indexed is tried again after so long, in milliseconds. */
const PASSED_OVER_MS = 600_000;

/** What is deleted is looked at once more after so long, in milliseconds: it may have been on its way into the index then. */
const AGAIN_MS = 60_000;

/** An index that has nothing is looked at this often, in milliseconds: it may be a new one, for records that were there before. */
const CHECK_EMPTY_MS = 60_000;

/**
 * Brings the full-text indexes of messages and of the archive up to what the records say. Can be cut off at any time: what was not noted as done is done
 * again by whoever comes next.
 */
export class TextIndexer {
  readonly #parts: TextIndexerParts;
  #closed = false;
  #nextCheck = 0;
  #atOnce = TEXTS;
  /** Marks of records that could not be indexed, and until when they are passed over. */
  readonly #passedOver = new Map<string, number>();

  constructor(parts: TextIndexerParts) {
    this.#parts = parts;
  }

  /**
   * Indexes all there is to index, if this process has the lease.
   *
   * @throws {ChorusError} store_unavailable
   */
  async round(now = Date.now()): Promise<{ indexed: number; removed: number }> {
    const done = { indexed: 0, removed: 0 };
    if (!(await this.#mayGoOn())) return done;
    for (const [mark, until] of this.#passedOver) if (until < now) this.#passedOver.delete(mark);
    const check = now >= this.#nextCheck;
    for (const kind of TEXT_KINDS) {
      if (check && !(await this.#fill(kind))) return done;
      done.indexed += await this.#indexAll(kind);
    }
    if (check) this.#nextCheck = now + CHECK_EMPTY_MS;
    done.removed = await this.#removeAll(new Date(now));
    return done;
  }

  /** Ends a round that runs as soon as may be. */
  close(): void {
    this.#closed = true;
  }

  async #mayGoOn(): Promise<boolean> {
    return !this.#closed && (await this.#parts.lease.ask());
  }

  /** Marks all records of an index that has nothing. False: to be done again, since it was not done to the end. */
  async #fill(kind: TextKind): Promise<boolean> {
    const { database, search, log } = this.#parts;
    const table = await search.texts(kind);
    if ((await table.count()) > 0) return true;
    // All of them before the first is indexed: a process that dies in between leaves an index that still has nothing.
    let marked = 0;
    for (let after: string | null = ''; after !== null; marked += MARKS) {
      if (!(await this.#mayGoOn())) return false;
      after = await database.texts.markAll(kind, { after, limit: MARKS });
    }
    if (marked > MARKS) log.info({ kind }, 'the full-text index is empty: all records go into it');
    return true;
  }

  async #indexAll(kind: TextKind): Promise<number> {
    const { database } = this.#parts;
    let indexed = 0;
    for (let after: string | undefined; await this.#mayGoOn(); ) {
      const texts = await database.texts.listUnindexed(kind, { after, limit: this.#atOnce });
      if (texts.length === 0) break;
      indexed += await this.#index(kind, texts);
      after = texts.at(-1)?.mark;
    }
    return indexed;
  }

  /**
   * After a failure less is tried at once, so that a record that no index takes is found, and passed over for a while: it holds up no other. Where the index
   * itself is away, nothing is lost by that but time.
   */
  async #index(kind: TextKind, listed: readonly UnindexedText[]): Promise<number> {
    const texts = listed.filter(({ mark }) => !this.#passedOver.has(mark));
    try {
      if (texts.length > 0) await this.#put(kind, texts);
    } catch (error) {
      const [only, ...more] = texts;
      this.#atOnce = Math.max(1, Math.floor(this.#atOnce / 8));
      if (only !== undefined && more.length === 0) {
        this.#passedOver.set(only.mark, Date.now() + PASSED_OVER_MS);
        this.#parts.log.warn({ err: error, kind, record_id: only.id }, 'a record could not be indexed');
      }
      throw error;
    }
    this.#atOnce = Math.min(TEXTS, this.#atOnce * 2);
    return texts.length;
  }

  async #put(kind: TextKind, texts: readonly UnindexedText[]): Promise<void> {
    const { database, search } = this.#parts;
    const table = await search.texts(kind);
    const [silent, speaking] = [texts.filter(({ text }) => text === ''), texts.filter(({ text }) => text !== '')];
    await table.put(speaking.map(({ mark, ...row }) => ({ ...row, facts: {} })));
    await table.remove(silent.map(({ id }) => id));
    await database.texts.noteIndexed(kind, texts);
  }

  async #removeAll(now: Date): Promise<number> {
    const { texts } = this.#parts.database;
    let removed = 0;
    while (await this.#mayGoOn()) {
      const removals = await texts.listRemovals(now, REMOVALS);
      if (removals.length === 0) break;
      for (const kind of TEXT_KINDS) {
        const ids = removals.filter((one) => one.kind === kind).flatMap(({ record_ids }) => record_ids);
        for (let at = 0; at < ids.length; at += IDS) removed += await this.#remove(kind, ids.slice(at, at + IDS));
      }
      const again = new Date(now.getTime() + AGAIN_MS);
      for (const { id, seen } of removals) await texts.setRemovalDue(id, seen ? null : again);
    }
    return removed;
  }

  async #remove(kind: TextKind, ids: readonly string[]): Promise<number> {
    const { database, search } = this.#parts;
    // One that is still there was not deleted after all, or is just being: then the next look finds it gone.
    const existing = await database.texts.existing(kind, ids);
    const gone = ids.filter((id) => !existing.has(id));
    await (await search.texts(kind)).remove(gone);
    return gone.length;
  }
}
