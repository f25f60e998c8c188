import { countOf, hashOf, rowOf } from './packed-postings.ts';
import type { PackedRows } from './packed-rows.ts';
import { shortCosine, shorten } from './short-vector.ts';

/** BM25, with the parameters of the engine. */
const K1 = 1.2;
const B = 0.75;

/** Estimated memory of the objects of an index and of each of its parts. */
const OBJECT_BYTES = 1_000;

interface Part extends PackedRows {
  /** Slot of the first row. */
  first: number;
}

/**
 * All chunks of one scope at one version of the table, searchable by words and vectors. Immutable: the index of a later
 * version shares its parts. A slot is the position of a row in the index.
 */
export class ScopeIndex {
  /** Version of the table. */
  readonly version: number;
  /** Number of rows that searches see. */
  readonly size: number;
  readonly #dimensions: number;
  readonly #parts: readonly Part[];
  /** 1 for slots that searches see. */
  readonly #shown: Uint8Array;
  readonly #meanLength: number;

  /**
   * @param shown rows that searches see, all if null
   */
  constructor(
    version: number,
    dimensions: number,
    packed: readonly PackedRows[],
    shown: ReadonlySet<bigint> | null = null,
  ) {
    const used = packed.filter(({ rows }) => (shown === null ? rows.length > 0 : rows.some((row) => shown.has(row))));
    let slots = 0;
    this.#parts = used.map((rows) => {
      const part = { ...rows, first: slots };
      slots += rows.rows.length;
      return part;
    });
    this.#shown = new Uint8Array(slots).fill(shown === null ? 1 : 0);
    let size = 0;
    let length = 0;
    for (const { first, rows, lengths } of this.#parts) {
      for (let at = 0; at < rows.length; at += 1) {
        if (shown?.has(rows[at]!)) this.#shown[first + at] = 1;
        size += this.#shown[first + at]!;
        length += this.#shown[first + at]! * lengths[at]!;
      }
    }
    this.version = version;
    this.size = size;
    this.#dimensions = dimensions;
    this.#meanLength = length / Math.max(1, size);
  }

  /** Rows that were read together. */
  get packed(): readonly PackedRows[] {
    return this.#parts;
  }

  get bytes(): number {
    return this.#parts.reduce((sum, { bytes }) => sum + bytes + OBJECT_BYTES, OBJECT_BYTES + this.#shown.byteLength);
  }

  /** Share of the memory that belongs to rows no longer shown. */
  get waste(): number {
    return this.#shown.length === 0 ? 0 : 1 - this.size / this.#shown.length;
  }

  /** Returns all rows, shown or not. */
  rows(): Set<bigint> {
    const all = new Set<bigint>();
    for (const { rows } of this.#parts) for (const row of rows) all.add(row);
    return all;
  }

  rowAt(slot: number): bigint {
    const { rows, first } = this.#partOf(slot);
    return rows[slot - first]!;
  }

  /** Returns the slots of some rows, as 1 in a list of all slots. */
  slotsOf(wanted: readonly bigint[]): Uint8Array {
    const chosen = new Set(wanted);
    const slots = new Uint8Array(this.#shown.length);
    for (const { first, rows } of this.#parts) {
      for (let at = 0; at < rows.length; at += 1) {
        if (this.#shown[first + at] === 1 && chosen.has(rows[at]!)) slots[first + at] = 1;
      }
    }
    return slots;
  }

  /**
   * Returns the BM25 of the best slots by words.
   *
   * @param among slots to search
   */
  findByWords(terms: readonly string[], limit: number, among: Uint8Array | null): Map<number, number> {
    const shown = this.#shown;
    const chosen = among ?? shown;
    const scores = new Float64Array(shown.length);
    for (const term of terms) {
      const hash = hashOf(term);
      const found = this.#parts.map(({ postings }) => postings.find(hash));
      const rows = found.reduce((sum, postings, at) => sum + this.#countShown(postings, this.#parts[at]!.first), 0);
      if (rows === 0) continue;
      const rarity = Math.log(1 + (this.size - rows + 0.5) / (rows + 0.5));
      for (const [at, { first, lengths }] of this.#parts.entries()) {
        for (const posting of found[at]!) {
          const row = rowOf(posting);
          if (chosen[first + row] === 0) continue;
          const count = countOf(posting);
          const norm = K1 * (1 - B + (B * lengths[row]!) / this.#meanLength);
          scores[first + row]! += (rarity * count * (K1 + 1)) / (count + norm);
        }
      }
    }
    const slots: number[] = [];
    for (let slot = 0; slot < scores.length; slot += 1) if (scores[slot]! > 0) slots.push(slot);
    return best(
      slots,
      Float64Array.from(slots, (slot) => scores[slot]!),
      limit,
    );
  }

  /** Returns the cosines of the nearest slots, and a function for those of others. */
  findByVector(
    vector: Float32Array,
    limit: number,
    among: Uint8Array | null,
  ): { nearest: Map<number, number>; cosineOf: (slot: number) => number | null } {
    const dimensions = this.#dimensions;
    const chosen = among ?? this.#shown;
    const asked = new Int16Array(dimensions);
    shorten(vector, asked);
    const slots: number[] = [];
    const cosines = new Float64Array(chosen.length);
    // Plain loops, since this is most of the work of a search.
    for (const { first, rows, vectors, hasVector } of this.#parts) {
      for (let at = 0; at < rows.length; at += 1) {
        if (chosen[first + at] === 0 || hasVector[at] === 0) continue;
        cosines[slots.length] = shortCosine(asked, vectors, at * dimensions);
        slots.push(first + at);
      }
    }
    const cosineOf = (slot: number) => {
      const { first, vectors, hasVector } = this.#partOf(slot);
      return hasVector[slot - first] === 0 ? null : shortCosine(asked, vectors, (slot - first) * dimensions);
    };
    return { nearest: best(slots, cosines.subarray(0, slots.length), limit), cosineOf };
  }

  #countShown(postings: Uint32Array, first: number): number {
    let rows = 0;
    for (const posting of postings) rows += this.#shown[first + rowOf(posting)]!;
    return rows;
  }

  #partOf(slot: number): Part {
    return this.#parts.findLast(({ first }) => first <= slot)!;
  }
}

/** Returns the highest scores, best first, without sorting them all. */
function best(slots: readonly number[], scores: Float64Array, limit: number): Map<number, number> {
  const least = scores.length > limit ? scores.toSorted().at(-limit)! : Number.NEGATIVE_INFINITY;
  const kept: [slot: number, score: number][] = [];
  for (let at = 0; at < slots.length; at += 1) {
    if (scores[at]! >= least) kept.push([slots[at]!, scores[at]!]);
  }
  return new Map(kept.sort(([, one], [, other]) => other - one).slice(0, limit));
}
