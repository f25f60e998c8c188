/**
 * What was used last, as much as fits; what was used first goes first. What nobody uses for a while is let go of, too, so that a process that has nothing to do
 * keeps nothing.
 */
export class BoundedMemory<K, V> {
  /** Those that were used first come first. */
  readonly #held = new Map<K, { value: V; bytes: number; usedAt: number }>();
  readonly #maxBytes: number;
  readonly #idleMs: number;
  #bytes = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor({ maxBytes, idleMs }: { maxBytes: number; idleMs: number }) {
    this.#maxBytes = maxBytes;
    this.#idleMs = idleMs;
  }

  /** What all that is held takes, as it was told. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: K): V | undefined {
    this.#forgetIdle();
    const found = this.#held.get(key);
    if (found === undefined) return undefined;
    this.#held.delete(key);
    this.#held.set(key, { ...found, usedAt: performance.now() });
    return found.value;
  }

  /** Keeps a value in the place of the one that its key had; one that is larger than everything may be is not kept. */
  set(key: K, value: V, bytes: number): void {
    this.delete(key);
    if (bytes > this.#maxBytes) return;
    this.#held.set(key, { value, bytes, usedAt: performance.now() });
    this.#bytes += bytes;
    for (const oldest of this.#held.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.delete(oldest);
    }
    this.#timer ??= setTimeout(() => this.#look(), this.#idleMs).unref();
  }

  delete(key: K): void {
    this.#bytes -= this.#held.get(key)?.bytes ?? 0;
    this.#held.delete(key);
  }

  #look(): void {
    this.#forgetIdle();
    this.#timer = this.#held.size === 0 ? null : setTimeout(() => this.#look(), this.#idleMs).unref();
  }

  #forgetIdle(): void {
    const since = performance.now() - this.#idleMs;
    for (const [key, { usedAt }] of this.#held) {
      if (usedAt > since) break;
      this.delete(key);
    }
  }
}
