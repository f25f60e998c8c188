/** Limits the cache, because model names come from callers. */
const MAX_KEPT = 64;

/**
 * Caches the most recent results of `make` by name. The provider packages rebuild their schemas for
 * each model object, which costs more than a call.
 */
export function cacheRecent<T>(make: (name: string) => T): (name: string) => T {
  const kept = new Map<string, T>();
  return (name) => {
    const known = kept.get(name);
    const value = known ?? make(name);
    if (known !== undefined) kept.delete(name);
    kept.set(name, value);
    if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value as string);
    return value;
  };
}
