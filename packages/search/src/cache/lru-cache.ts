/** An LRU cache with a size limit. Idle values expire even without access, so an idle process keeps nothing. */
export class LruCache<K, V> {
  /** Least recently used first. */
  readonly #entries = new Map<K, { value: V; bytes: number; usedAt: number }>();
  readonly #maxBytes: number;
  readonly #idleMs: number;
  #bytes = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor({ maxBytes, idleMs }: { maxBytes: number; idleMs: number }) {
    this.#maxBytes = maxBytes;
    this.#idleMs = idleMs;
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

  /** Stores a value unless it exceeds the whole limit. */
  set(key: K, value: V, bytes: number): void {
    this.delete(key);
    if (bytes > this.#maxBytes) return;
    this.#entries.set(key, { value, bytes, usedAt: performance.now() });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.delete(oldest);
    }
    this.#timer ??= setTimeout(() => this.#look(), this.#idleMs).unref();
  }

  delete(key: K): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
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
