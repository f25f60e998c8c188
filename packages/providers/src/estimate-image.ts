import type { Usage } from '@chorus/contract';
import type { ImageCall } from './provider-port.ts';
import { costOf, costOfImage, mostImageTokens } from './usage/prices.ts';

/** A typical ratio of UTF-8 to tokens. */
const BYTES_PER_TOKEN = 4;

/** Tokens of a reference image. */
const REFERENCE_TOKENS = 1_500;

/**
 * Returns an upper estimate of the cost of an image that was requested but not waited for. The cost is null if the
 * price is unknown.
 *
 * @param call `model` is `provider/model`
 */
export function estimateImage({ model, prompt, size, references = [] }: ImageCall): Usage {
  const output = mostImageTokens(model);
  if (output === null) return { ...tokens(0, 0), cost_usd: costOfImage(model, size ?? null), estimated: true };
  const ofImages = references.length * REFERENCE_TOKENS;
  const input = Math.ceil(Buffer.byteLength(prompt) / BYTES_PER_TOKEN) + ofImages;
  const cost = costOf(model, { input, cached: 0, written: 0, output, ofImages });
  return { ...tokens(input, output), cost_usd: cost, estimated: true };
}

const tokens = (input: number, output: number) => ({
  input_tokens: input,
  output_tokens: output,
  total_tokens: input + output,
});
