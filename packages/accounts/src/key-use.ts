import type { ApiKeyRepository } from '@chorus/database';
import type { Logger } from '@chorus/runtime/log';

/** `last_used_at` of a key is written at most this often, across all processes. */
const NOTE_EVERY_MS = 60_000;
const COLLECT_MS = 1_000;
const REMEMBERED_KEYS = 10_000;

/** Records when keys are used without a write per request. */
export class KeyUse {
  readonly #repository: Pick<ApiKeyRepository, 'recordUse'>;
  readonly #log: Logger;
  readonly #noted = new Map<string, number>();
  #waiting = new Map<string, Date>();
  #timer: NodeJS.Timeout | null = null;
  #written: Promise<void> = Promise.resolve();

  constructor(repository: Pick<ApiKeyRepository, 'recordUse'>, log: Logger) {
    this.#repository = repository;
    this.#log = log;
  }

  note(id: string): void {
    const now = Date.now();
    if (now - (this.#noted.get(id) ?? 0) < NOTE_EVERY_MS) return;
    // A key that was dropped from memory costs one extra write.
    if (this.#noted.size >= REMEMBERED_KEYS) this.#noted.clear();
    this.#noted.set(id, now);
    this.#waiting.set(id, new Date(now));
    this.#timer ??= setTimeout(() => void this.flush(), COLLECT_MS).unref();
  }

  flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const uses = Array.from(this.#waiting, ([id, at]) => ({ id, at }));
    this.#waiting = new Map();
    if (uses.length > 0) this.#written = this.#written.then(() => this.#write(uses));
    return this.#written;
  }

  async #write(uses: { id: string; at: Date }[]): Promise<void> {
    try {
      await this.#repository.recordUse(uses, new Date(Date.now() - NOTE_EVERY_MS));
    } catch (err) {
      this.#log.warn({ err, keys: uses.length }, 'could not record the use of API keys');
    }
  }
}
