import type { ChatMessage } from '@chorus/contract';
import { type FenceOptions, fenceSources, type Passage } from '@chorus/knowledge/answering';
import { estimateTokens } from '@chorus/providers/usage';

/** Estimated tokens for rules and fences: in total, and for each source. */
export const RULES_TOKENS = 600;
const FENCE_TOKENS = 60;

/** Puts an agent's instructions first. */
export function withInstructions(instructions: string | undefined, messages: ChatMessage[]): ChatMessage[] {
  return instructions === undefined ? messages : [{ role: 'system', content: instructions }, ...messages];
}

/** Adds rules for sources to the front, and the sources to the last question. */
export function withSources(
  instructions: string | undefined,
  messages: ChatMessage[],
  passages: readonly Passage[],
  use: FenceOptions['use'],
): ChatMessage[] {
  const { rules, wrap } = fenceSources(passages, { use });
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const asked = messages.map((message, index): ChatMessage => {
    if (index !== last || message.role !== 'user') return message;
    const { content } = message;
    if (typeof content === 'string') return { ...message, content: wrap(content) };
    return { ...message, content: [{ type: 'text', text: wrap('').trimEnd() }, ...content] };
  });
  const system = instructions === undefined ? rules : `${instructions}\n\n${rules}`;
  return [{ role: 'system', content: system }, ...asked];
}

/** Returns the best passages within a token limit, at least `atLeast`. */
export function fitPassages(passages: readonly Passage[], maxTokens: number, atLeast = 1): Passage[] {
  let left = maxTokens - RULES_TOKENS;
  const kept = passages.findIndex((passage) => {
    left -= tokensOf([passage]);
    return left < 0;
  });
  return passages.slice(0, kept < 0 ? passages.length : Math.max(atLeast, kept));
}

export function tokensOf(passages: readonly Passage[]): number {
  return passages.reduce((sum, { text }) => sum + estimateTokens(text) + FENCE_TOKENS, 0);
}
