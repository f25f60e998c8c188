export {
  BYTES_PER_TOKEN,
  estimatePrompt,
  estimateTokens,
  estimateTokensOf,
  TOKENS_PER_ATTACHMENT,
} from './estimate-tokens.ts';
export { mostCostOf } from './most-cost.ts';
export { type DefaultPrices, type ModelPrice, usePrices } from './prices.ts';
export { addUsage, isNothing, NO_USAGE, sumUsage } from './sum-usage.ts';
