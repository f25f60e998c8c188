import type { StampedFeedEvent } from '@chorus/contract';
import type { RedisConnection } from './connect-redis.ts';
import type { EventHub, Listener } from './event-hub.ts';
import { fromRedis } from './from-redis.ts';
import { feedKey } from './keys.ts';

/** Before the first event of a feed. */
const NOTHING = '0-0';

/** Events fetched in one round trip. */
const PAGE = 200;

/** However much happens, a reader asks Redis no more often than so; what happens meanwhile comes with the next answer. */
const PAUSE_MS = 50;

/** Pause before Redis is asked again when it did not answer, in milliseconds. */
const RETRY_MS = 500;

/** `events.lost`: events before the next one are missing. */
export interface FeedEntry {
  /** Where a reader goes on from after this one. */
  id: string;
  event: StampedFeedEvent | { type: 'events.lost' };
}

export function isFeedId(text: string): boolean {
  return /^\d{1,15}-\d{1,15}$/.test(text);
}

/**
 * Reads what happens in a scope, in order and each once. Holds nothing but its place: who takes slowly is served from the feed, and told where
 * that no longer goes back far enough.
 */
export class ScopeFeedReader implements Listener {
  lastHeardAt = performance.now();
  readonly #redis: RedisConnection;
  readonly #key: string;
  readonly #keepMs: number;
  #place: string;
  #keptAt = performance.now();
  #behind = true;
  #closed = false;
  #readAt = 0;
  #wake: (() => void) | null = null;
  #leave: () => void = () => undefined;

  /**
   * `after`: the id of the last event that one has; null: from now on. `keepMs`: how long a feed is kept in which nothing happens; one that is
   * followed is kept longer.
   *
   * @throws {ChorusError} `store_unavailable` when Redis does not answer within some seconds
   */
  static async open(
    redis: RedisConnection,
    hub: Pick<EventHub, 'listen'>,
    { scope, after, keepMs }: { scope: string; after: string | null; keepMs: number },
  ): Promise<ScopeFeedReader> {
    const key = feedKey(scope);
    const reader = new ScopeFeedReader(redis, key, after ?? NOTHING, keepMs);
    reader.#leave = await hub.listen(key, reader);
    try {
      if (after === null) reader.#place = await fromRedis(reader.#lastId());
      return reader;
    } catch (error) {
      reader.close();
      throw error;
    }
  }

  private constructor(redis: RedisConnection, key: string, place: string, keepMs: number) {
    this.#keepMs = keepMs;
    this.#redis = redis;
    this.#key = key;
    this.#place = place;
  }

  /** The id of the last event that was given out. */
  get place(): string {
    return this.#place;
  }

  /** Waits for the next events; null once it is closed. */
  async next(): Promise<FeedEntry[] | null> {
    while (!this.#closed) {
      if (this.#behind) {
        await this.#pause(this.#readAt + PAUSE_MS - performance.now());
        if (this.#closed) break;
        const entries = await this.#read();
        if (entries.length > 0) return entries;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
    return null;
  }

  receive(): void {
    this.lastHeardAt = performance.now();
    this.lookAgain();
  }

  lookAgain(): void {
    this.#behind = true;
    this.#notify();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#leave();
    this.#notify();
  }

  async #read(): Promise<FeedEntry[]> {
    this.#behind = false;
    this.#readAt = performance.now();
    this.lastHeardAt = this.#readAt;
    try {
      if (this.#readAt - this.#keptAt > this.#keepMs / 4) {
        await this.#redis.pexpire(this.#key, this.#keepMs);
        this.#keptAt = this.#readAt;
      }
      const found = await this.#redis.xrange(this.#key, `(${this.#place}`, '+', 'COUNT', PAGE);
      if (found.length === PAGE) this.#behind = true;
      return found.length > 0 ? this.#entriesOf(found) : await this.#whereNothingFollows();
    } catch {
      this.#behind = true;
      await this.#pause(RETRY_MS);
      return [];
    }
  }

  #entriesOf(found: [id: string, fields: string[]][]): FeedEntry[] {
    const entries: FeedEntry[] = [];
    for (const [id, fields] of found) {
      const [, before = NOTHING, , event = ''] = fields;
      if (before !== this.#place) entries.push({ id: before, event: { type: 'events.lost' } });
      entries.push({ id, event: JSON.parse(event) });
      this.#place = id;
    }
    return entries;
  }

  /** Nothing follows: either this is the end of the feed, or the feed has lost what the reader has been given. */
  async #whereNothingFollows(): Promise<FeedEntry[]> {
    const last = await this.#lastId();
    // Something has been told since the first look: the next one finds it.
    if (isAfter(last, this.#place)) this.#behind = true;
    if (last === this.#place || this.#behind) return [];
    this.#place = last;
    return [{ id: last, event: { type: 'events.lost' } }];
  }

  async #lastId(): Promise<string> {
    const [last] = await this.#redis.xrevrange(this.#key, '+', '-', 'COUNT', 1);
    return last?.[0] ?? NOTHING;
  }

  async #pause(ms: number): Promise<void> {
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }
}

function isAfter(one: string, other: string): boolean {
  const [a = 0, b = 0] = one.split('-').map(Number);
  const [c = 0, d = 0] = other.split('-').map(Number);
  return a > c || (a === c && b > d);
}
