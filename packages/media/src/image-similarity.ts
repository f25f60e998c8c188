import type { ImageInput } from './image-tasks.ts';
import { type ImageLimits, withImage } from './open-image.ts';

/** Grid cells to compare in each direction. */
const GRID = 24;

/** Resolution for cropped sections: four cells per grid cell. */
const FINE = 4 * GRID;

/** Share of a side that a crop may keep, at the start, middle, or end. */
const SHARES = [0.97, 0.94, 0.9, 0.85];
const PLACES = [0, 0.5, 1];

/** Sections of a side, from 0 to 1, that a crop may have kept. */
const SECTIONS: Section[] = [
  { from: 0, share: 1 },
  ...SHARES.flatMap((share) => PLACES.map((place) => ({ from: place * (1 - share), share }))),
];

interface Section {
  from: number;
  share: number;
}

/**
 * Returns how similar two images are in brightness, 0 to 1, even if up to 15% was cropped from one. Re-encoded,
 * scaled, grayscale, or brightened copies stay above 0.9. Colors are ignored.
 *
 * @throws {MediaError}
 */
export async function imageSimilarity(one: ImageInput, other: ImageInput, limits: ImageLimits = {}): Promise<number> {
  const [first, second] = [await graysOf(one, limits), await graysOf(other, limits)];
  return Math.max(bestSection(first, second), bestSection(second, first), 0);
}

/** Summed-area table: the mean of any rectangle takes four look-ups. */
type Sums = Float64Array;

async function graysOf(input: ImageInput, limits: ImageLimits): Promise<Sums> {
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

const WHOLE: Section = { from: 0, share: 1 };

/** Returns the highest similarity of `small` to any section of `large`. */
function bestSection(large: Sums, small: Sums): number {
  const wanted = normalize(cells(small, WHOLE, WHOLE));
  let best = -1;
  for (const across of SECTIONS)
    for (const down of SECTIONS) best = Math.max(best, product(normalize(cells(large, across, down)), wanted));
  return best;
}

function cells(sums: Sums, across: Section, down: Section): Float64Array {
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

const edges = ({ from, share }: Section) =>
  Float64Array.from({ length: GRID + 1 }, (_, index) => (from + (share * index) / GRID) * FINE);

/** Returns the sum up to a point between pixels. */
function sumAt(sums: Sums, x: number, y: number): number {
  const width = FINE + 1;
  const [left, top] = [Math.min(Math.floor(x), FINE - 1), Math.min(Math.floor(y), FINE - 1)];
  const [right, down] = [x - left, y - top];
  const at = top * width + left;
  const upper = (sums[at] as number) * (1 - right) + (sums[at + 1] as number) * right;
  const lower = (sums[at + width] as number) * (1 - right) + (sums[at + width + 1] as number) * right;
  return upper * (1 - down) + lower * down;
}

/** Removes brightness and contrast, in place. */
function normalize(values: Float64Array): Float64Array {
  let mean = 0;
  for (const value of values) mean += value / values.length;
  for (let at = 0; at < values.length; at++) values[at] = (values[at] as number) - mean;
  const length = Math.sqrt(product(values, values));
  // A plain color only leaves rounding errors.
  if (length < 1) return values.fill(0);
  for (let at = 0; at < values.length; at++) values[at] = (values[at] as number) / length;
  return values;
}

function product(one: Float64Array, other: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] as number) * (other[at] as number);
  return sum;
}
