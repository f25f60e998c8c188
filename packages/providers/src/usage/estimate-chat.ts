import type { ChatMessage, ChatSettings, Usage } from '@chorus/contract';
import { estimatePrompt, estimateTokensOf } from './estimate-tokens.ts';
import { costOf } from './prices.ts';

interface Prompt {
  messages: readonly ChatMessage[];
  settings: Pick<ChatSettings, 'tools'>;
}

/**
 * Returns a function that makes an upper estimate of the usage of an answer that its provider did not report, from the
 * length of the answer so far in UTF-8. The prompt is counted once.
 *
 * @param model `provider/model`
 */
export function chatEstimator(
  model: string,
  { messages, settings }: Prompt,
  inBatch = false,
): (bytes: number) => Usage {
  let input: number | undefined;
  return (bytes) => {
    input ??= estimatePrompt({ messages, tools: settings.tools });
    return estimated(model, input, bytes === 0 ? 0 : estimateTokensOf(bytes), inBatch);
  };
}

/** Returns the usage of a number of tokens that were estimated. */
export function estimated(model: string, input: number, output: number, inBatch = false): Usage {
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    cost_usd: costOf(model, { input, cached: 0, written: 0, output, inBatch }),
    estimated: true,
  };
}
