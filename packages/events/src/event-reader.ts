import type { LogEvent } from '@chorus/contract';
import type { RedisConnection } from './connection/index.ts';
import { readFolded, readPage, type StoredEvent } from './read-log.ts';

/** Limits the buffer of a slow reader, which then reads from the log. */
const MAX_BUFFERED_BYTES = 65_536;

/** Events to fetch in one round trip, initially and at most. Adapts to pages of about 64 KiB. */
const FIRST_PAGE = 64;
const MAX_PAGE = 256;

const RETRY_MS = 200;

/**
 * Reads one execution's events in order, each once: first from the log, then live. A slow reader returns to the log,
 * so it buffers at most 64 KiB.
 */
export class EventReader {
  readonly executionId: string;
  /** Time of the last message, by `performance.now()`. */
  lastHeardAt = performance.now();
  readonly #redis: RedisConnection;
  readonly #leave: () => void;
  /** Number of the last event that was returned or buffered. */
  #seq: number;
  #buffer: StoredEvent[] = [];
  #bufferedBytes = 0;
  #page = FIRST_PAGE;
  /** Whether the log may hold events after `#seq` that are not in the buffer. */
  #behind: boolean;
  /** Highest number published since the log was last read. */
  #heard = 0;
  /** Whether `recheck` was called since the log was last read. */
  #asked = false;
  #closed = false;
  #wake: (() => void) | null = null;

  constructor(redis: RedisConnection, executionId: string, after: number, behind: boolean, leave: () => void) {
    this.#redis = redis;
    this.executionId = executionId;
    // Seq 1, the queued event, follows from the record and is not in the log.
    this.#seq = Math.max(after, 1);
    this.#behind = behind;
    this.#leave = leave;
  }

  /** Number of the last event that was returned. */
  get seq(): number {
    return this.#buffer[0] ? this.#buffer[0].seq - 1 : this.#seq;
  }

  /**
   * Waits for the next events, in order. Returns an empty list after `recheck`, so the caller can read the
   * record of an execution whose log is gone, and once the reader is closed.
   */
  async next(): Promise<StoredEvent[]> {
    if (this.#buffer.length === 0 && !this.#behind && !this.#closed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#closed) return [];
    if (this.#buffer.length > 0) {
      const events = this.#buffer;
      this.#buffer = [];
      this.#bufferedBytes = 0;
      return events;
    }
    return this.#readLog();
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Whether the log may hold events that were not returned. */
  get behind(): boolean {
    return this.#behind;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#buffer = [];
    this.#leave();
    this.#notify();
  }

  /** Makes `next()` read the log, and ends a wait. */
  recheck(): void {
    this.#behind = true;
    this.#asked = true;
    this.lastHeardAt = performance.now();
    this.#notify();
  }

  /** Handles a published message: the last seq, then one event per line. Without events it only wakes. */
  receive(message: string): void {
    this.lastHeardAt = performance.now();
    if (this.#behind) {
      this.#heard = Math.max(this.#heard, Number.parseInt(message, 10));
      this.#notify();
      return;
    }
    const lines = message.split('\n');
    const last = Number(lines[0]);
    if (last <= this.#seq) return;
    const first = last - lines.length + 2;
    if (lines.length === 1 || first > this.#seq + 1 || this.#bufferedBytes + message.length > MAX_BUFFERED_BYTES) {
      this.#behind = true;
    } else {
      for (let seq = this.#seq + 1; seq <= last; seq += 1) {
        this.#buffer.push({ seq, event: JSON.parse(lines[seq - first + 1] as string) as LogEvent });
      }
      this.#bufferedBytes += message.length;
      this.#seq = last;
    }
    this.#notify();
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }

  async #readLog(): Promise<StoredEvent[]> {
    // Nothing is buffered meanwhile: this read or the next one finds the published events.
    this.#heard = 0;
    this.#asked = false;
    try {
      const read = await readPage(this.#redis, this.executionId, this.#seq, this.#page);
      let { events } = read;
      this.#page = Math.min(MAX_PAGE, Math.max(1, Math.floor((MAX_BUFFERED_BYTES * events.length) / (read.bytes + 1))));
      const first = events[0];
      if (first && first.seq > this.#seq + 1) {
        const folded = await readFolded(this.#redis, this.executionId);
        const last = folded.at(-1)?.seq ?? 0;
        // A gap after the fold was not trimmed: Redis lost events, and a reset follows.
        if (last > this.#seq) events = [...folded, ...events.filter((event) => event.seq > last)];
      }
      this.#seq = events.at(-1)?.seq ?? this.#seq;
      this.#behind = this.#asked || this.#heard > this.#seq || read.full;
      return events;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      return [];
    }
  }
}
