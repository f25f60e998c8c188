import type { ChatMessage, ChatSettings, Usage } from '@chorus/contract';
import { costOfTokens } from '@chorus/providers';
import { estimatePrompt, estimateTokensOf } from '@chorus/providers/usage';

interface Prompt {
  messages: readonly ChatMessage[];
  settings: Pick<ChatSettings, 'tools'>;
}

/**
 * Returns an upper estimate of the usage of an answer that ended before its provider reported it.
 *
 * @param model `provider/model`
 * @param bytes length of the answer so far in UTF-8
 */
export function estimateUsage(model: string, { messages, settings }: Prompt, bytes: number): Usage {
  const input = estimatePrompt({ messages, tools: settings.tools });
  const output = bytes === 0 ? 0 : estimateTokensOf(bytes);
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    cost_usd: costOfTokens(model, input, output),
    estimated: true,
  };
}
