import type { Size } from '@chorus/contract';
import table from './prices.json' with { type: 'json' };
import { priceOf } from './prices.ts';

/** USD for one image. */
interface ImagePrice {
  each?: number;
  /** Begun megapixels count whole. */
  per_megapixel?: number;
  by_size?: Record<string, number | undefined>;
  /** What is made where no size is asked for. */
  usual_size?: string;
}

/** USD for one video. */
interface VideoPrice {
  each?: number;
  per_second?: number;
}

const IMAGES: Record<string, ImagePrice | undefined> = table.images;
const VIDEOS: Record<string, VideoPrice | undefined> = table.videos;

/**
 * What an image cost by the public prices of `prices.json`, in USD.
 * @param model `provider/model`
 * @param size of the picture that came, or was asked for; null: not known
 * @returns null where the price is not known
 */
export function costOfImage(model: string, size: Size | null): number | null {
  const price = priceOf(IMAGES, model);
  if (price === undefined) return null;
  if (price.by_size) return price.by_size[size ? `${size.width}x${size.height}` : (price.usual_size ?? '')] ?? null;
  if (price.per_megapixel === undefined) return price.each ?? null;
  const megapixels = size && megapixelsOf(size);
  return megapixels === null ? null : rounded(megapixels * price.per_megapixel);
}

/** The same for a video of so many seconds; null seconds: the provider chooses. */
export function costOfVideo(model: string, seconds: number | null): number | null {
  const price = priceOf(VIDEOS, model);
  if (price?.per_second === undefined) return price?.each ?? null;
  return seconds === null ? null : rounded(seconds * price.per_second);
}

/** Whether a megapixel is 10⁶ or 2²⁰ pixels, the price lists do not say: null where it makes a difference. */
function megapixelsOf({ width, height }: Size): number | null {
  const pixels = width * height;
  const decimal = Math.ceil(pixels / 1e6);
  return decimal === Math.ceil(pixels / 2 ** 20) ? decimal : null;
}

/** Whole units of 10⁻¹² USD: a sum of fractions would end in noise. */
function rounded(usd: number): number {
  return Math.round(usd * 1e12) / 1e12;
}
