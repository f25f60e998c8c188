import { setImmediate as othersFirst } from 'node:timers/promises';
import type { StoredChunk } from '../search.ts';
import { shortCosine, shorten } from './short-vector.ts';

/** A row of the table, read once: its content never changes. */
export interface IndexedRow {
  row: bigint;
  chunk: StoredChunk;
  /** Terms separated by spaces. */
  terms: string;
  vector: Float32Array | null;
}

/** Rows indexed before other work of the process runs. */
const ROWS_PER_SLICE = 100;

/** BM25, with the parameters of the engine. */
const K1 = 1.2;
const B = 0.75;

/** A posting holds the count of a term in its lowest bits, and the slot above. */
const COUNT_BITS = 8;
const MAX_COUNT = 2 ** COUNT_BITS - 1;

/** Estimated memory, except for text and vector. */
const ROW_BYTES = 500;
const POSTING_BYTES = 12;
const TERM_BYTES = 150;
const CHARACTER_BYTES = 2;

/** Accepts the chunks of a filtered search. */
export type ChunkFilter = (chunk: StoredChunk) => boolean;

/**
 * Holds all chunks of one scope in memory, searchable by words and vectors. Rows are added to slots that are never
 * reused; a search sees the rows of the last `show` only, so it may run while others are being added.
 */
export class ScopeIndex {
  readonly #dimensions: number;
  readonly #chunks: (StoredChunk | null)[] = [];
  /** Number of terms of each slot. */
  readonly #lengths: number[] = [];
  readonly #vectors: (Int16Array | null)[] = [];
  readonly #postings = new Map<string, number[]>();
  readonly #slots = new Map<bigint, number>();
  /** Slots that searches see. */
  #shown: readonly number[] = [];
  #isShown = new Uint8Array(0);
  #meanLength = 0;
  #bytes = 0;

  constructor(dimensions: number) {
    this.#dimensions = dimensions;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Number of rows that searches see. */
  get size(): number {
    return this.#shown.length;
  }

  /** Share of the memory that belongs to rows no longer shown. */
  get waste(): number {
    return this.#chunks.length === 0 ? 0 : 1 - this.#shown.length / this.#chunks.length;
  }

  has(row: bigint): boolean {
    return this.#slots.has(row);
  }

  /** Adds rows without showing them. */
  async add(rows: Iterable<IndexedRow>): Promise<void> {
    let added = 0;
    for (const row of rows) {
      if (added > 0 && added % ROWS_PER_SLICE === 0) await othersFirst();
      this.#addRow(row);
      added += 1;
    }
  }

  #addRow({ row, chunk, terms, vector }: IndexedRow): void {
    if (this.#slots.has(row)) return;
    const slot = this.#chunks.length;
    const words = terms.split(' ');
    const counts = new Map<string, number>();
    for (const term of words) counts.set(term, (counts.get(term) ?? 0) + 1);
    for (const [term, count] of counts) {
      const posting = (slot << COUNT_BITS) | Math.min(count, MAX_COUNT);
      const postings = this.#postings.get(term);
      if (postings !== undefined) postings.push(posting);
      else {
        this.#postings.set(term, [posting]);
        this.#bytes += TERM_BYTES;
      }
    }
    let short: Int16Array | null = null;
    if (vector !== null) {
      short = new Int16Array(this.#dimensions);
      shorten(vector, short);
    }
    this.#chunks.push(chunk);
    this.#lengths.push(words.length);
    this.#vectors.push(short);
    this.#slots.set(row, slot);
    this.#bytes += ROW_BYTES + counts.size * POSTING_BYTES;
    this.#bytes += chunk.text.length * CHARACTER_BYTES + (short?.byteLength ?? 0);
  }

  /** Shows exactly these rows, which must have been added, and forgets the text of others that were shown. */
  show(rows: readonly bigint[]): void {
    const shown = rows.map((row) => this.#slots.get(row)!);
    const isShown = new Uint8Array(this.#chunks.length);
    let length = 0;
    for (const slot of shown) {
      isShown[slot] = 1;
      length += this.#lengths[slot]!;
    }
    const current = new Set(rows);
    for (const [row, slot] of this.#slots) {
      if (current.has(row)) continue;
      this.#slots.delete(row);
      this.#chunks[slot] = null;
      this.#vectors[slot] = null;
    }
    this.#shown = shown;
    this.#isShown = isShown;
    this.#meanLength = length / Math.max(1, shown.length);
  }

  /** Returns a filter's slots, or null for all. */
  filtered(filter: ChunkFilter | null): ReadonlySet<number> | null {
    if (filter === null) return null;
    return new Set(this.#shown.filter((slot) => filter(this.#chunks[slot]!)));
  }

  /** Returns the BM25 of the best slots by words. */
  findByWords(terms: readonly string[], limit: number, among: ReadonlySet<number> | null): Map<number, number> {
    const scores = new Map<number, number>();
    for (const term of terms) {
      const postings = this.#postings.get(term)?.filter((posting) => this.#isShown[posting >> COUNT_BITS] === 1);
      if (postings === undefined || postings.length === 0) continue;
      const rarity = Math.log(1 + (this.size - postings.length + 0.5) / (postings.length + 0.5));
      for (const posting of postings) {
        const slot = posting >> COUNT_BITS;
        if (among !== null && !among.has(slot)) continue;
        const count = posting & MAX_COUNT;
        const norm = K1 * (1 - B + (B * this.#lengths[slot]!) / this.#meanLength);
        scores.set(slot, (scores.get(slot) ?? 0) + (rarity * count * (K1 + 1)) / (count + norm));
      }
    }
    return best([...scores.keys()], Float64Array.from(scores.values()), limit);
  }

  /** Returns the cosines of the nearest slots, and a function for those of others. */
  findByVector(
    vector: Float32Array,
    limit: number,
    among: ReadonlySet<number> | null,
  ): { nearest: Map<number, number>; cosineOf: (slot: number) => number | null } {
    const asked = new Int16Array(this.#dimensions);
    shorten(vector, asked);
    const cosineOf = (slot: number) => {
      const other = this.#vectors[slot] ?? null;
      return other === null ? null : shortCosine(asked, other, 0);
    };
    const slots = among === null ? this.#shown : [...among];
    const cosines = new Float64Array(slots.length);
    // A plain loop: this is most of the work of a search.
    for (let at = 0; at < slots.length; at += 1) cosines[at] = cosineOf(slots[at]!) ?? Number.NEGATIVE_INFINITY;
    return { nearest: best(slots, cosines, limit), cosineOf };
  }

  chunkAt(slot: number): StoredChunk {
    return this.#chunks[slot]!;
  }
}

/** Returns the highest finite scores, best first, without sorting them all. */
function best(slots: readonly number[], scores: Float64Array, limit: number): Map<number, number> {
  const least = scores.length > limit ? scores.toSorted().at(-limit)! : Number.NEGATIVE_INFINITY;
  const kept: [slot: number, score: number][] = [];
  for (let at = 0; at < slots.length; at += 1) {
    const score = scores[at]!;
    if (score >= least && score !== Number.NEGATIVE_INFINITY) kept.push([slots[at]!, score]);
  }
  return new Map(kept.sort(([, one], [, other]) => other - one).slice(0, limit));
}
