import type { StampedFeedEvent } from '@chorus/contract';
import type { RedisConnection } from './connection/index.ts';
import type { EventHub, Listener } from './event-hub.ts';
import { fromRedis } from './from-redis.ts';
import { feedKey } from './keys.ts';

const NOTHING = '0-0';

const PAGE = 200;

/** Minimum time between two reads, which batches frequent events. */
const PAUSE_MS = 50;

const RETRY_MS = 500;

/** `events.lost`: events before the next one are missing. */
export interface FeedEntry {
  /** Cursor to continue after this event. */
  id: string;
  event: StampedFeedEvent | { type: 'events.lost' };
}

export function isFeedId(text: string): boolean {
  return /^\d{1,15}-\d{1,15}$/.test(text);
}

/**
 * Reads a scope's events in order, each once. It buffers nothing: a slow reader reads from the feed, and
 * receives `events.lost` if the feed no longer goes back far enough.
 */
export class ScopeFeedReader implements Listener {
  lastHeardAt = performance.now();
  readonly #redis: RedisConnection;
  readonly #key: string;
  readonly #keepMs: number;
  #cursor: string;
  #keptAt = performance.now();
  #behind = true;
  #closed = false;
  #readAt = 0;
  #wake: (() => void) | null = null;
  #leave: () => void = () => undefined;

  /**
   * Opens a reader after the event `after`, or from now on if null.
   *
   * @param options `keepMs` is the lifetime of an idle feed, which readers extend
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
      if (after === null) reader.#cursor = await fromRedis(reader.#lastId());
      return reader;
    } catch (error) {
      reader.close();
      throw error;
    }
  }

  private constructor(redis: RedisConnection, key: string, cursor: string, keepMs: number) {
    this.#keepMs = keepMs;
    this.#redis = redis;
    this.#key = key;
    this.#cursor = cursor;
  }

  /** Id of the last event that was returned. */
  get cursor(): string {
    return this.#cursor;
  }

  /** Waits for the next events. Returns null once the reader is closed. */
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
    this.recheck();
  }

  recheck(): void {
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
      const found = await this.#redis.xrange(this.#key, `(${this.#cursor}`, '+', 'COUNT', PAGE);
      if (found.length === PAGE) this.#behind = true;
      return found.length > 0 ? this.#entriesOf(found) : await this.#checkEnd();
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
      if (before !== this.#cursor) entries.push({ id: before, event: { type: 'events.lost' } });
      entries.push({ id, event: JSON.parse(event) });
      this.#cursor = id;
    }
    return entries;
  }

  /** Distinguishes the end of the feed from a feed that lost the reader's last event. */
  async #checkEnd(): Promise<FeedEntry[]> {
    const last = await this.#lastId();
    // An event arrived since the read; the next read finds it.
    if (isAfter(last, this.#cursor)) this.#behind = true;
    if (last === this.#cursor || this.#behind) return [];
    this.#cursor = last;
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
