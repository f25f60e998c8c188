import type { ChunkRow } from '@chorus/search';

/** A reproducible corpus: words distributed as in real texts, vectors in clusters. */
export class Corpus {
  #seed = 20_260_101;
  readonly #words = Array.from({ length: 30_000 }, (_, at) => `word${at.toString(36)}q`);
  readonly #centres: Float32Array[];
  readonly dimensions: number;

  constructor(dimensions: number) {
    this.dimensions = dimensions;
    this.#centres = Array.from({ length: 400 }, () =>
      Float32Array.from({ length: dimensions }, () => this.#random() - 0.5),
    );
  }

  entry(number: number, chunks: number): { scope: string; id: string; rows: ChunkRow[] } {
    const scope = scopeOf(number);
    const id = `entry-${number}`;
    const rows = Array.from({ length: chunks }, (_, position) => ({
      id: `${id}:1:${position}`,
      scope_key: scope,
      entry_id: id,
      revision: 1,
      tags: [`tag-${number % 7}`],
      title: `Entry ${number}`,
      text: this.text(120),
      heading_path: [],
      page: null,
      position,
      vector: this.vector(),
    }));
    return { scope, id, rows };
  }

  /** Generates words with a realistic frequency distribution. */
  text(words: number): string {
    const picked = Array.from(
      { length: words },
      () => this.#words[Math.floor(this.#random() ** 3 * this.#words.length)],
    );
    return picked.join(' ');
  }

  vector(): Float32Array {
    const centre =
      this.#centres[Math.floor(this.#random() * this.#centres.length)] ?? new Float32Array(this.dimensions);
    return centre.map((value) => value + (this.#random() - 0.5) * 0.8);
  }

  #random(): number {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#seed / 2 ** 32;
  }
}

/** Owns a quarter of all documents. */
export const LARGE_OWNER = 'personal:large';

/** Returns one of 75 owners with one percent of the documents each. */
export const smallOwner = (number: number): string => `personal:small-${number % 75}`;

const scopeOf = (entry: number): string => (entry % 4 === 0 ? LARGE_OWNER : smallOwner(entry - Math.ceil(entry / 4)));
