import { shortCosine, shorten } from './short-vector.ts';

/** A row with its vector, raw or as `shorten` returns it; null without one. */
export interface RowVector {
  row: bigint;
  vector: Float32Array | Int16Array | null;
}

export interface Neighbors {
  rows: readonly bigint[];
  similarities(rows: readonly bigint[]): Map<bigint, number>;
}

const ROW_BYTES = 80;

export class ScopeVectors {
  readonly #dimensions: number;
  readonly #numbers: Int16Array;
  /** Rows with vectors, in the order of `#vectors`. */
  readonly #rows: readonly bigint[];
  /** Index of each row's vector; null without one. */
  readonly #places: ReadonlyMap<bigint, number | null>;

  constructor(dimensions: number, rows: readonly RowVector[]) {
    const places = new Map<bigint, number | null>();
    const withVector: bigint[] = [];
    const count = rows.reduce((sum, { vector }) => sum + (vector === null ? 0 : 1), 0);
    this.#numbers = new Int16Array(count * dimensions);
    for (const { row, vector } of rows) {
      places.set(row, vector === null ? null : withVector.length);
      if (vector === null) continue;
      const from = withVector.length * dimensions;
      if (vector instanceof Int16Array) this.#numbers.set(vector, from);
      else shorten(vector, this.#numbers, from);
      withVector.push(row);
    }
    this.#dimensions = dimensions;
    this.#rows = withVector;
    this.#places = places;
  }

  get bytes(): number {
    return this.#numbers.byteLength + this.#places.size * ROW_BYTES;
  }

  get size(): number {
    return this.#places.size;
  }

  get(row: bigint): RowVector | undefined {
    const place = this.#places.get(row);
    if (place === undefined) return undefined;
    const from = (place ?? 0) * this.#dimensions;
    return { row, vector: place === null ? null : this.#numbers.subarray(from, from + this.#dimensions) };
  }

  /**
   * Compares every vector.
   *
   * @param among only these rows; default: all
   */
  nearest(vector: Float32Array, limit: number, among?: readonly bigint[]): Neighbors {
    const asked = new Int16Array(this.#dimensions);
    shorten(vector, asked);
    const cosineAt = (place: number) => shortCosine(asked, this.#numbers, place * this.#dimensions);
    const places = among?.flatMap((row) => this.#places.get(row) ?? []) ?? this.#rows.keys();
    const looked = Array.from(places, (place) => ({ place, cosine: cosineAt(place) }));
    // Avoids a full sort, since few of many are needed.
    const least =
      Float64Array.from(looked, ({ cosine }) => cosine)
        .sort()
        .at(-limit) ?? Number.NEGATIVE_INFINITY;
    const best = looked.filter(({ cosine }) => cosine >= least).sort((one, other) => other.cosine - one.cosine);
    return {
      rows: best.slice(0, limit).map(({ place }) => this.#rows[place]!),
      similarities: (rows) => {
        const cosines = new Map<bigint, number>();
        for (const row of rows) {
          const place = this.#places.get(row) ?? null;
          if (place !== null) cosines.set(row, cosineAt(place));
        }
        return cosines;
      },
    };
  }
}
