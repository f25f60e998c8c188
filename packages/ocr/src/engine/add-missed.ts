import type { Blob } from '../image/find-blobs.ts';
import { type PreparedPage, placeIn } from '../image/prepare-page.ts';
import type { Raster } from '../image/raster.ts';
import type { ReadLine, ReadWord } from './parse-tsv.ts';

/** Words of a second reading must be at least this certain. */
const MIN_CONFIDENCE = 0.5;

/** Returns the letters that do not belong to a word. */
export function findMissed(
  lines: readonly ReadLine[],
  letters: readonly Blob[],
  prepared: PreparedPage,
  page: Raster,
): Blob[] {
  const grid = new Occupied(lines.flatMap(({ words }) => words));
  return letters.filter((letter) => {
    const { x, y } = placeIn(prepared, page, middleOf(letter));
    return !grid.holds(x, y);
  });
}

/** Returns the words of lines that contain one of these letters. */
export function linesAt(
  letters: readonly Blob[],
  lines: readonly ReadLine[],
  prepared: PreparedPage,
  page: Raster,
): ReadLine[] {
  const places = letters.map((letter) => placeIn(prepared, page, middleOf(letter)));
  return lines.flatMap(({ block, words }) => {
    const held = words.filter((word) => places.some((place) => isIn(word, place)));
    return held.length === 0 ? [] : [{ block, words: held }];
  });
}

/** Adds words of another reading where this reading has none. */
export function addMissed(lines: readonly ReadLine[], other: readonly ReadLine[]): ReadLine[] {
  const taken = new Occupied(lines.flatMap(({ words }) => words));
  const added = other.flatMap(({ block, words }) => {
    const missed = words.filter(
      (word) =>
        word.confidence >= MIN_CONFIDENCE &&
        [0.1, 0.5, 0.9].every((share) => !taken.holds(word.left + word.width * share, word.top + word.height / 2)),
    );
    return missed.length === 0 ? [] : [{ block, words: missed }];
  });
  return [...lines, ...added];
}

const middleOf = ({ left, right, top, bottom }: Blob) => ({ x: (left + right) / 2, y: (top + bottom) / 2 });

const isIn = ({ left, top, width, height }: ReadWord, { x, y }: { x: number; y: number }): boolean =>
  x >= left && x <= left + width && y >= top && y <= top + height;

const BAND = 64;

/** The positions of words, by bands of rows. */
class Occupied {
  readonly #bands = new Map<number, ReadWord[]>();

  constructor(words: readonly ReadWord[]) {
    for (const word of words) {
      for (let band = Math.floor(word.top / BAND); band <= Math.floor((word.top + word.height) / BAND); band += 1) {
        const held = this.#bands.get(band);
        if (held === undefined) this.#bands.set(band, [word]);
        else held.push(word);
      }
    }
  }

  holds(x: number, y: number): boolean {
    return (this.#bands.get(Math.floor(y / BAND)) ?? []).some((word) => isIn(word, { x, y }));
  }
}
