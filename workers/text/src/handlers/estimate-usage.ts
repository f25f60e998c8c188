import type { ChatMessage, ChatSettings, Usage } from '@chorus/contract';
import { estimateTokens, estimateTokensOf, TOKENS_PER_ATTACHMENT } from '@chorus/conversations';
import { costOfTokens } from '@chorus/providers';

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
  const offered = settings.tools === undefined ? 0 : estimateTokens(JSON.stringify(settings.tools));
  const input = messages.reduce((sum, message) => sum + tokensOf(message), offered);
  const output = bytes === 0 ? 0 : estimateTokensOf(bytes);
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    cost_usd: costOfTokens(model, input, output),
    estimated: true,
  };
}

function tokensOf(message: ChatMessage): number {
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  const ofCalls = calls.reduce((sum, call) => sum + estimateTokens(call.function.name + call.function.arguments), 0);
  const { content } = message;
  if (typeof content === 'string') return ofCalls + estimateTokens(content);
  const ofParts = (content ?? []).map((part) => {
    if (part.type === 'text') return estimateTokens(part.text);
    return part.type === 'refusal' ? estimateTokens(part.refusal) : TOKENS_PER_ATTACHMENT;
  });
  return ofParts.reduce((sum, tokens) => sum + tokens, ofCalls);
}
