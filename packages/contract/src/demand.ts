/** The most that a job asks of its models at once, which bounds what that can cost. */
export type Demand =
  /** Of several models, such as fallbacks, one answers. Null output: as much as the model can write. */
  | { of: 'tokens'; models: readonly string[]; input: number; output: number | null }
  | { of: 'images'; model: string; count: number; size: { width: number; height: number } | null; input: number }
  | { of: 'video'; model: string; seconds: number }
  | { of: 'speech'; model: string; characters: number }
  /** Null: the length is unknown. */
  | { of: 'transcript'; model: string; seconds: number | null };

/** Reserves money for calls in the budgets of their execution. */
export interface CallSpending {
  /**
   * Reserves the most that a call can cost. Returns a promise if it must ask.
   *
   * @throws {ChorusError} budget_exceeded
   */
  reserve(mostUsd: number): Promise<void> | undefined;
  /** Called when a call that has reserved `mostUsd` has ended. Null cost: unknown. */
  ended(mostUsd: number, costUsd: number | null): void;
}

/** Types of content parts that are files. */
const IMAGES = new Set(['image', 'image_url', 'input_image']);
const SOUNDS = new Set(['input_audio']);
const DOCUMENTS = new Set(['file', 'input_file', 'document']);

/** OpenAI's small models count 48,169 tokens for a large image, more than others do. */
export const MOST_IMAGE_TOKENS = 50_000;

/** No model reads more than about a million tokens at once. */
const MOST_DOCUMENT_TOKENS = 1_000_000;

/** Bytes of compressed speech per token, at the least. Models count tokens by time. */
const SOUND_BYTES_PER_TOKEN = 20;

/** Tokens that models add to each message, call, and tool. */
const OVERHEAD = 8;

/**
 * Returns an upper bound of the tokens of messages, items, or tools. A token has at least one byte. Estimates by the
 * usual length of a token can be too low.
 */
export function mostTokens(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return OVERHEAD;
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + mostTokens(one), 0);
  const type = 'type' in value && typeof value.type === 'string' ? value.type : '';
  if (IMAGES.has(type)) return MOST_IMAGE_TOKENS;
  if (SOUNDS.has(type)) return Math.ceil(longestText(value) / SOUND_BYTES_PER_TOKEN) + MOST_IMAGE_TOKENS;
  if (DOCUMENTS.has(type)) return Math.min(longestText(value) + MOST_IMAGE_TOKENS, MOST_DOCUMENT_TOKENS);
  return Object.entries(value).reduce((sum, [name, one]) => sum + name.length + mostTokens(one), OVERHEAD);
}

/** Returns the length of the longest text in a part: its file, or a name of the file. */
function longestText(part: object): number {
  const lengths = Object.values(part).map((value) =>
    typeof value === 'string' ? value.length : typeof value === 'object' && value !== null ? longestText(value) : 0,
  );
  return Math.max(0, ...lengths);
}
