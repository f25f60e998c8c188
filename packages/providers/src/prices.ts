import table from './prices.json' with { type: 'json' };

/** USD for each million tokens. */
interface Price {
  input: number;
  output: number;
  /** Input that came from the provider's cache, and input that was written to it; absent: not known. */
  cached?: number;
  written?: number;
  /** Input that came as images, where it costs other than words. */
  image_input?: number;
  /** Longer inputs cost more; how much is not in the table. */
  up_to_input?: number;
}

const PRICES: Record<string, Price | undefined> = table.models;

/** The dates and versions that providers append to a model's name: `-2025-08-07`, `-20250929`, `-001`. */
const VERSION = /-(\d{4}-\d{2}-\d{2}|\d{8}|\d{3})$/;

/** The entry of a model, under its name or the one without its version. */
export function priceOf<T>(table: Record<string, T | undefined>, model: string): T | undefined {
  return table[model] ?? table[model.replace(VERSION, '')];
}

/** `input` counts all that was read, `cached` and `written` the parts of it that have a price of their own. */
export interface PricedTokens {
  input: number;
  cached: number;
  written: number;
  output: number;
  /** Of `input`, those of images; null: not told. */
  ofImages?: number | null;
}

/**
 * What a call cost by the public prices of `prices.json`, in USD.
 * @param model `provider/model`
 * @returns null where the price is not known
 */
export function costOf(model: string, { input, cached, written, output, ofImages = 0 }: PricedTokens): number | null {
  const price = priceOf(PRICES, model);
  if (price === undefined || input > (price.up_to_input ?? Number.POSITIVE_INFINITY)) return null;
  if ((cached > 0 && price.cached === undefined) || (written > 0 && price.written === undefined)) return null;
  const seen = price.image_input === undefined ? 0 : ofImages;
  if (seen === null) return null;
  const plain = input - cached - written - seen;
  const parts = [
    plain * price.input,
    seen * (price.image_input ?? 0),
    cached * (price.cached ?? 0),
    written * (price.written ?? 0),
    output * price.output,
  ];
  // Whole units of 10⁻¹² USD: a sum of fractions would end in noise.
  return Math.round(parts.reduce((sum, part) => sum + part, 0) * 1e6) / 1e12;
}
