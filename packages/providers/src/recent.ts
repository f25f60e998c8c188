/** What is kept at most; names of models come from callers, so there may be any number of them. */
const MAX_KEPT = 64;

/**
 * Keeps what `make` made for the names asked for most recently. The provider packages build their answer schemas anew for each model
 * object, which costs more than the call itself.
 */
export function recent<T>(make: (name: string) => T): (name: string) => T {
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
