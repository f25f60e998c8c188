import type { Demand } from '@chorus/contract';
import {
  costOfCharacters,
  costOfTranscript,
  costOfVideo,
  mostCostOfImage,
  mostImageTokens,
  tokenPriceOf,
} from './prices.ts';

/** The longest answer of a model whose limit is unknown, in tokens. Few models write more. */
const MOST_OUTPUT_TOKENS = 131_072;

/** Returns the most that a demand can cost in USD. Null: its price is unknown. */
export function mostCostOf(demand: Demand): number | null {
  switch (demand.of) {
    case 'tokens': {
      const costs = demand.models.map((model) => mostCostOfTokens(model, demand.input, demand.output));
      const known = costs.filter((cost) => cost !== null);
      return known.length === 0 ? null : Math.max(...known);
    }
    case 'images': {
      const { model, count, size, input } = demand;
      const output = mostImageTokens(model);
      const each = output === null ? mostCostOfImage(model, size) : mostCostOfTokens(model, input, output);
      return each === null ? null : each * count;
    }
    case 'video':
      return costOfVideo(demand.model, demand.seconds);
    case 'speech':
      return costOfCharacters(demand.model, demand.characters);
    case 'transcript':
      return costOfTranscript(demand.model, demand.seconds);
  }
}

/** All input may have the dearest price, such as that of writing to the provider's cache. */
function mostCostOfTokens(model: string, input: number, output: number | null): number | null {
  const price = tokenPriceOf(model);
  if (price === undefined) return null;
  const { up_to_input = Number.POSITIVE_INFINITY, max_output = MOST_OUTPUT_TOKENS } = price;
  const dearest = Math.max(
    price.input,
    price.cached ?? 0,
    price.written ?? 0,
    price.image_input ?? 0,
    price.audio_input ?? 0,
  );
  // A longer input has no known price.
  return (Math.min(input, up_to_input) * dearest + (output ?? max_output) * price.output) / 1e6;
}
