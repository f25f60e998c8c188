import { type CompiledOperation, compiledOperations } from './compiled-api.ts';

interface Kept {
  operations: Promise<readonly CompiledOperation[]>;
  chars: number;
}

/** Maximum text of all kept operations. */
const MAX_CHARS = 32_000_000;

/** Compiled operations of APIs, each read once per revision. The most recently used stay. */
export class OperationsCache {
  readonly #kept = new Map<string, Kept>();
  #chars = 0;

  /** @param read returns the stored JSON */
  get(revision: string, read: () => Promise<string>): Promise<readonly CompiledOperation[]> {
    const known = this.#kept.get(revision);
    if (known !== undefined) {
      this.#kept.delete(revision);
      this.#kept.set(revision, known);
      return known.operations;
    }
    const kept: Kept = { operations: this.#load(revision, read), chars: 0 };
    this.#kept.set(revision, kept);
    kept.operations.catch(() => this.#forget(revision, kept));
    return kept.operations;
  }

  async #load(revision: string, read: () => Promise<string>): Promise<readonly CompiledOperation[]> {
    const text = await read();
    const kept = this.#kept.get(revision);
    if (kept !== undefined) {
      kept.chars = text.length;
      this.#chars += text.length;
      this.#evict(revision);
    }
    return compiledOperations.parse(JSON.parse(text));
  }

  #evict(latest: string): void {
    for (const [revision, kept] of this.#kept) {
      if (this.#chars <= MAX_CHARS) return;
      if (revision !== latest) this.#forget(revision, kept);
    }
  }

  #forget(revision: string, kept: Kept): void {
    if (this.#kept.get(revision) !== kept) return;
    this.#kept.delete(revision);
    this.#chars -= kept.chars;
  }
}
