import type { Size } from '@chorus/contract';
import table from './prices.json' with { type: 'json' };

interface Price {
  input: number;
  output: number;
  /** Input read from and written to the provider's cache; absent if unknown. */
  cached?: number;
  written?: number;
  /** Input images, where they cost more than text. */
  image_input?: number;
  /** Input audio; absent if unknown. */
  audio_input?: number;
  /** Longer inputs cost more. The table does not list their price. */
  up_to_input?: number;
  /** Output tokens of the largest image in the best quality. */
  most_image_tokens?: number;
  /** The longest answer, in tokens; absent if unknown. */
  max_output?: number;
}

const PRICES: Record<string, Price | undefined> = table.models;

/** Prices set by the operator, which override the table. */
let ownPrices: Record<string, Price | undefined> = {};

/** Price of a model's tokens, in USD for each million. */
export interface ModelPrice {
  model: string;
  input: number;
  output: number;
}

/** The operator's prices of models without a known price, in USD. Null or absent: such calls are not counted. */
export interface DefaultPrices {
  /** For each million. */
  tokens?: { input: number; output: number } | null;
  image?: number | null;
  videoSecond?: number | null;
  /** For each million characters. */
  speech?: number | null;
  transcriptHour?: number | null;
}

let defaults: DefaultPrices = {};

/** Returns an operator's default price. Models that run here are free. */
const defaultOf = <Name extends keyof DefaultPrices>(
  model: string,
  name: Name,
): NonNullable<DefaultPrices[Name]> | null => (model.startsWith('embedded/') ? null : (defaults[name] ?? null));

/** Sets the operator's prices for this process. Cached, written, and audio tokens cost as much as other input. */
export function usePrices(prices: readonly ModelPrice[], defaultPrices: DefaultPrices = {}): void {
  defaults = defaultPrices;
  const entries = prices.map(({ model, input, output }) => {
    const price: Price = { input, output, cached: input, written: input, audio_input: input };
    return [model, price] as const;
  });
  ownPrices = Object.fromEntries(entries);
}

/** Whether a model has a price, though some of its costs may be unknown. */
export function isPriced(model: string): boolean {
  const tables = [ownPrices, PRICES, IMAGES, VIDEOS, SPEECH, TRANSCRIPTS];
  return tables.some((table) => priceOf<object>(table, model) !== undefined);
}

/** Dates and versions that providers append to names: `-2025-08-07`, `-20250929`, `-001`. */
const VERSION = /-(\d{4}-\d{2}-\d{2}|\d{8}|\d{3})$/;

export function withoutVersion(model: string): string {
  return model.replace(VERSION, '');
}

/** Finds a model by its name, or by its name without the version. */
export function priceOf<T>(table: Record<string, T | undefined>, model: string): T | undefined {
  return table[model] ?? table[withoutVersion(model)];
}

/** `input` is the total. `cached` and `written` are parts of it with their own prices. */
export interface PricedTokens {
  input: number;
  cached: number;
  written: number;
  output: number;
  /** Image tokens within `input`; null if unknown. */
  ofImages?: number | null;
  /** Audio tokens within `input`, and whether some are within `output`. */
  ofAudio?: number;
  speaks?: boolean;
  /** Whether the provider's batch endpoint ran the call. */
  inBatch?: boolean | undefined;
}

interface BatchPrice {
  /** The share of the usual price. */
  share: number;
  /** The price of cached input: a share of its usual price, or the batch price of `input` that is not cached. */
  cached: number | 'input';
  /** The page that says so. */
  source: string;
}

/**
 * Batch prices by provider. Google charges the usual price for cached input. Groq's pages do not say that its two
 * discounts add up, so its cached input costs as much as other input of a batch.
 */
const BATCH_PRICES = table.batches as Partial<Record<string, BatchPrice>>;

/** Returns the prices of a provider's batch endpoint. Undefined: it has none. */
function priceInBatch(model: string, price: Price): Price | undefined {
  const batch = BATCH_PRICES[model.slice(0, model.indexOf('/'))];
  if (batch === undefined) return undefined;
  const { share, cached } = batch;
  const cachedPrice = cached === 'input' ? price.input * share : price.cached && price.cached * cached;
  return {
    ...price,
    input: price.input * share,
    output: price.output * share,
    ...(cachedPrice !== undefined && { cached: cachedPrice }),
    ...(price.written !== undefined && { written: price.written * share }),
    ...(price.image_input !== undefined && { image_input: price.image_input * share }),
    ...(price.audio_input !== undefined && { audio_input: price.audio_input * share }),
  };
}

/** Returns the price of a model's tokens. Undefined: unknown, unless the operator has set a default. */
export function tokenPriceOf(model: string): Price | undefined {
  const byDefault = defaultOf(model, 'tokens');
  return priceOf(ownPrices, model) ?? priceOf(PRICES, model) ?? byDefault ?? undefined;
}

/**
 * Returns the cost of a call in USD, or null if unknown.
 *
 * @param model `provider/model`
 */
export function costOf(model: string, tokens: PricedTokens): number | null {
  const byDefault = defaultOf(model, 'tokens');
  const known = knownCostOf(model, tokens);
  if (known !== null || byDefault == null) return known;
  return rounded((tokens.input * byDefault.input + tokens.output * byDefault.output) / 1e6);
}

function knownCostOf(
  model: string,
  { input, cached, written, output, ofImages = 0, ofAudio = 0, speaks = false, inBatch = false }: PricedTokens,
): number | null {
  const usual = priceOf(ownPrices, model) ?? priceOf(PRICES, model);
  const price = usual && inBatch ? priceInBatch(model, usual) : usual;
  if (price === undefined || input > (price.up_to_input ?? Number.POSITIVE_INFINITY)) return null;
  if ((cached > 0 && price.cached === undefined) || (written > 0 && price.written === undefined)) return null;
  const seen = price.image_input === undefined ? 0 : ofImages;
  if (seen === null) return null;
  if (speaks || (ofAudio > 0 && price.audio_input === undefined)) return null;
  const plain = input - cached - written - seen - ofAudio;
  const parts = [
    plain * price.input,
    ofAudio * (price.audio_input ?? 0),
    seen * (price.image_input ?? 0),
    cached * (price.cached ?? 0),
    written * (price.written ?? 0),
    output * price.output,
  ];
  // Rounds to 10⁻¹² USD to hide floating-point noise.
  return Math.round(parts.reduce((sum, part) => sum + part, 0) * 1e6) / 1e12;
}

/** Returns the output tokens of a model's largest image, or null if it is not priced by tokens. */
export function mostImageTokens(model: string): number | null {
  return priceOf(PRICES, model)?.most_image_tokens ?? null;
}

interface ImagePrice {
  each?: number;
  /** Megapixels are rounded up. */
  per_megapixel?: number;
  by_size?: Record<string, number | undefined>;
  /** The default size. */
  usual_size?: string;
}

interface VideoPrice {
  each?: number;
  per_second?: number;
}

const IMAGES: Record<string, ImagePrice | undefined> = table.images;
const VIDEOS: Record<string, VideoPrice | undefined> = table.videos;

/**
 * Returns the cost of an image in USD according to `prices.json`, or null if unknown.
 *
 * @param model `provider/model`
 * @param size of the result or request; null if unknown
 */
export function costOfImage(model: string, size: Size | null): number | null {
  return knownCostOfImage(model, size) ?? defaultOf(model, 'image');
}

function knownCostOfImage(model: string, size: Size | null): number | null {
  const price = priceOf(IMAGES, model);
  if (price === undefined) return null;
  if (price.by_size) return price.by_size[size ? `${size.width}x${size.height}` : (price.usual_size ?? '')] ?? null;
  if (price.per_megapixel === undefined) return price.each ?? null;
  const megapixels = size && megapixelsOf(size);
  return megapixels === null ? null : rounded(megapixels * price.per_megapixel);
}

/** Returns the cost of a video in USD. Null seconds: the provider chooses the length. */
export function costOfVideo(model: string, seconds: number | null): number | null {
  const price = priceOf(VIDEOS, model);
  if (price?.each !== undefined) return price.each;
  const perSecond = price?.per_second ?? defaultOf(model, 'videoSecond');
  return seconds === null || perSecond === null ? null : rounded(seconds * perSecond);
}

/** Returns the most that an image of a model priced by images can cost. Null size: the model chooses. */
export function mostCostOfImage(model: string, size: Size | null): number | null {
  const price = priceOf(IMAGES, model);
  if (price?.by_size) {
    const sizes = Object.values(price.by_size).filter((usd) => usd !== undefined);
    return (size && price.by_size[`${size.width}x${size.height}`]) ?? Math.max(...sizes);
  }
  if (price?.per_megapixel !== undefined)
    return price.per_megapixel * (size ? Math.ceil((size.width * size.height) / 1e6) : MOST_MEGAPIXELS);
  return costOfImage(model, size);
}

/** More than models draw by default. */
const MOST_MEGAPIXELS = 4;

/** Price lists do not say whether a megapixel has 10⁶ or 2²⁰ pixels. Returns null if it makes a difference. */
function megapixelsOf({ width, height }: Size): number | null {
  const pixels = width * height;
  const decimal = Math.ceil(pixels / 1e6);
  return decimal === Math.ceil(pixels / 2 ** 20) ? decimal : null;
}

/** Rounds to 10⁻¹² USD to hide floating-point noise. */
function rounded(usd: number): number {
  return Math.round(usd * 1e12) / 1e12;
}

interface SpeechPrice {
  per_million_characters: number;
}

interface TranscriptPrice {
  per_hour: number;
  /** The minimum billed duration. */
  least_s?: number;
}

const SPEECH: Record<string, SpeechPrice | undefined> = table.speech;
const TRANSCRIPTS: Record<string, TranscriptPrice | undefined> = table.transcripts;

/** The voice and language at the end of a name do not affect the price. */
const VOICE = /-[a-z]+-[a-z]{2}$/;

/**
 * Returns the cost of speaking a text in USD according to `prices.json`, or null if unknown.
 *
 * @param model `provider/model`
 */
export function costOfSpeech(model: string, text: string): number | null {
  return costOfCharacters(model, [...text].length);
}

/** Like `costOfSpeech`, from the number of characters. */
export function costOfCharacters(model: string, characters: number): number | null {
  const price = priceOf(SPEECH, model) ?? SPEECH[model.replace(VOICE, '')];
  const each = price?.per_million_characters ?? defaultOf(model, 'speech');
  return each === null ? null : rounded((characters * each) / 1e6);
}

/** Returns the cost of a transcript in USD. Null seconds: unknown length. */
export function costOfTranscript(model: string, seconds: number | null): number | null {
  const price = priceOf(TRANSCRIPTS, model);
  const perHour = price?.per_hour ?? defaultOf(model, 'transcriptHour');
  if (perHour === null || seconds === null) return null;
  return rounded((Math.max(seconds, price?.least_s ?? 0) * perHour) / 3_600);
}
