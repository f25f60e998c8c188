import { ExpiringCache } from './expiring-cache.ts';
import type { CachedKind, Versions } from './versions.ts';

interface Entry<V> {
  version: string;
  value: Promise<V | null>;
}

export interface VersionedCacheOptions {
  limit: number;
  /** Maximum age of a value, even without a published change. */
  ttlMs: number;
}

/**
 * Caches values briefly. Changes published by `Versions.changed` take effect within a second, and nothing is served
 * from memory while Redis is unreachable. Concurrent reads share one load. Null (unknown) is not cached.
 */
export class VersionedCache<V> {
  readonly #versions: Versions;
  readonly #kind: CachedKind;
  readonly #entries: ExpiringCache<Entry<V>>;
  readonly #ttlMs: number;

  constructor(versions: Versions, kind: CachedKind, { limit, ttlMs }: VersionedCacheOptions) {
    this.#versions = versions;
    this.#kind = kind;
    this.#entries = new ExpiringCache(limit);
    this.#ttlMs = ttlMs;
  }

  async get(key: string, load: () => Promise<V | null>): Promise<V | null> {
    // Taken before loading, so the loaded value is at least as new as this version.
    const version = this.#versions.current(this.#kind);
    if (version === undefined) return load();
    const kept = this.#entries.get(key);
    if (kept?.version === version) return kept.value;
    const entry = { version, value: load() };
    this.#entries.set(key, entry, Date.now() + this.#ttlMs);
    const forget = () => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    };
    try {
      const value = await entry.value;
      if (value === null) forget();
      return value;
    } catch (error) {
      forget();
      throw error;
    }
  }
}
