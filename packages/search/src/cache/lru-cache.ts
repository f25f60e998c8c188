const MAX_NOTED = 10_000;

/** An LRU cache with a size limit. Idle values expire even without access, so an idle process keeps nothing. */
export class LruCache<K, V> {
  /** Least recently used first. */
  readonly #entries = new Map<K, { value: V; bytes: number; usedAt: number }>();
  readonly #maxBytes: number;
  readonly #idleMs: number;
  /** When values that are not in the cache were last used, if values are compared. */
  readonly #lastUse: Map<K, number> | null;
  #bytes = 0;
  #timer: NodeJS.Timeout | null = null;

  /**
   * @param comparing Whether a value replaces others only if it was used before, and more recently than they were. This
   * keeps values that are used in turn from evicting each other if they do not all fit.
   */
  constructor({ maxBytes, idleMs, comparing = false }: { maxBytes: number; idleMs: number; comparing?: boolean }) {
    this.#maxBytes = maxBytes;
    this.#idleMs = idleMs;
    this.#lastUse = comparing ? new Map() : null;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: K): V | undefined {
    this.#evictIdle();
    const found = this.#entries.get(key);
    if (found === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, { ...found, usedAt: performance.now() });
    return found.value;
  }

  /** Stores a value unless it exceeds the whole limit, or others are worth more. */
  set(key: K, value: V, bytes: number): void {
    const lastUse = this.#entries.get(key)?.usedAt ?? this.#lastUse?.get(key);
    this.delete(key);
    if (bytes > this.#maxBytes || !this.#makeRoom(bytes, lastUse)) {
      this.#note(key, performance.now());
      return;
    }
    this.#entries.set(key, { value, bytes, usedAt: performance.now() });
    this.#bytes += bytes;
    this.#lastUse?.delete(key);
    this.#timer ??= setTimeout(() => this.#look(), this.#idleMs).unref();
  }

  delete(key: K): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }

  #makeRoom(bytes: number, lastUse = Number.NEGATIVE_INFINITY): boolean {
    const evicted: K[] = [];
    let free = this.#maxBytes - this.#bytes;
    for (const [key, entry] of this.#entries) {
      if (free >= bytes) break;
      if (this.#lastUse !== null && entry.usedAt > lastUse) return false;
      evicted.push(key);
      free += entry.bytes;
    }
    for (const key of evicted) {
      this.#note(key, this.#entries.get(key)!.usedAt);
      this.delete(key);
    }
    return true;
  }

  #note(key: K, usedAt: number): void {
    if (this.#lastUse === null) return;
    this.#lastUse.delete(key);
    this.#lastUse.set(key, usedAt);
    for (const oldest of this.#lastUse.keys()) {
      if (this.#lastUse.size <= MAX_NOTED) break;
      this.#lastUse.delete(oldest);
    }
  }

  #look(): void {
    this.#evictIdle();
    this.#timer = this.#entries.size === 0 ? null : setTimeout(() => this.#look(), this.#idleMs).unref();
  }

  #evictIdle(): void {
    const since = performance.now() - this.#idleMs;
    for (const [key, { usedAt }] of this.#entries) {
      if (usedAt > since) break;
      this.delete(key);
    }
  }
}
