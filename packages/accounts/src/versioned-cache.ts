import { ExpiringCache } from './expiring-cache.ts';
import type { CachedKind, Versions } from './versions.ts';

interface Entry<V> {
  version: string;
  value: Promise<V | null>;
}

export interface VersionedCacheOptions {
  /** How many values are kept. */
  limit: number;
  /** The longest that a value is kept, also when nothing is said to have changed. */
  ttlMs: number;
}

/**
 * Values of one kind as of a moment ago: a change that was told by `Versions.changed` is noticed within a second, and while Redis can't be
 * asked nothing is remembered at all. Questions at the same moment share one look; null (unknown) is not kept.
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
    // Asked before loading: what is loaded now is at least as new as this version.
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
