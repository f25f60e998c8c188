import type { ImageInput } from './image-tasks.ts';
import { type ImageLimits, withImage } from './open-image.ts';

/** Pictures are compared by so many greys in each direction. */
const GRID = 24;

/** A passage of one is taken from so many: four for each of the grid. */
const FINE = 4 * GRID;

/** How much of a side a crop may have left, and where it may lie: at the start, in the middle, at the end. */
const SHARES = [0.97, 0.94, 0.9, 0.85];
const PLACES = [0, 0.5, 1];

/** Parts of a side, from 0 to 1, that are tried as what a crop left of it. */
const PASSAGES: Passage[] = [
  { from: 0, share: 1 },
  ...SHARES.flatMap((share) => PLACES.map((place) => ({ from: place * (1 - share), share }))),
];

interface Passage {
  from: number;
  share: number;
}

/**
 * How much two pictures are the same by their light and dark, also when up to 15% of one was cut away at its edges: 1 the same, 0 nothing in common.
 * Copies that were encoded anew, scaled, made grey or lightened keep above 0.9. Colours are not looked at.
 *
 * @throws {MediaError}
 */
export async function pictureLikeness(one: ImageInput, other: ImageInput, limits: ImageLimits = {}): Promise<number> {
  const [first, second] = [await greysOf(one, limits), await greysOf(other, limits)];
  return Math.max(bestPassage(first, second), bestPassage(second, first), 0);
}

/** The greys of a picture summed from its corner, so that the mean of any part of it is four look-ups. */
type Sums = Float64Array;

async function greysOf(input: ImageInput, limits: ImageLimits): Promise<Sums> {
  const pixels = await withImage(input, limits, (open) =>
    open()
      .autoOrient()
      .flatten({ background: 'white' })
      .greyscale()
      .resize(FINE, FINE, { fit: 'fill' })
      .raw()
      .toBuffer(),
  );
  const width = FINE + 1;
  const sums = new Float64Array(width * width);
  for (let y = 0; y < FINE; y++) {
    let row = 0;
    for (let x = 0; x < FINE; x++) {
      row += pixels[y * FINE + x] as number;
      sums[(y + 1) * width + x + 1] = (sums[y * width + x + 1] as number) + row;
    }
  }
  return sums;
}

const WHOLE: Passage = { from: 0, share: 1 };

/** How like the whole of `small` is to whichever passage of `large` is likest. */
function bestPassage(large: Sums, small: Sums): number {
  const wanted = normalise(cells(small, WHOLE, WHOLE));
  let best = -1;
  for (const across of PASSAGES)
    for (const down of PASSAGES) best = Math.max(best, product(normalise(cells(large, across, down)), wanted));
  return best;
}

/** The sums of a passage's cells, which are alike in size. */
function cells(sums: Sums, across: Passage, down: Passage): Float64Array {
  const [xs, ys] = [edges(across), edges(down)];
  const values = new Float64Array(GRID * GRID);
  let upper = xs.map((x) => sumAt(sums, x, ys[0] as number));
  for (let y = 0; y < GRID; y++) {
    const lower = xs.map((x) => sumAt(sums, x, ys[y + 1] as number));
    for (let x = 0; x < GRID; x++) {
      const right = (lower[x + 1] as number) - (upper[x + 1] as number);
      values[y * GRID + x] = right - (lower[x] as number) + (upper[x] as number);
    }
    upper = lower;
  }
  return values;
}

const edges = ({ from, share }: Passage) =>
  Float64Array.from({ length: GRID + 1 }, (_, index) => (from + (share * index) / GRID) * FINE);

/** The sum up to a point between pixels. */
function sumAt(sums: Sums, x: number, y: number): number {
  const width = FINE + 1;
  const [left, top] = [Math.min(Math.floor(x), FINE - 1), Math.min(Math.floor(y), FINE - 1)];
  const [right, down] = [x - left, y - top];
  const at = top * width + left;
  const upper = (sums[at] as number) * (1 - right) + (sums[at + 1] as number) * right;
  const lower = (sums[at + width] as number) * (1 - right) + (sums[at + width + 1] as number) * right;
  return upper * (1 - down) + lower * down;
}

/** Without brightness and contrast, in place. */
function normalise(values: Float64Array): Float64Array {
  let mean = 0;
  for (const value of values) mean += value / values.length;
  for (let at = 0; at < values.length; at++) values[at] = (values[at] as number) - mean;
  const length = Math.sqrt(product(values, values));
  // What is left of one plain colour is what rounding left.
  if (length < 1) return values.fill(0);
  for (let at = 0; at < values.length; at++) values[at] = (values[at] as number) / length;
  return values;
}

function product(one: Float64Array, other: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] as number) * (other[at] as number);
  return sum;
}
