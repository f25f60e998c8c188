import { type ChatMessage, ChorusError, type OpenAiMessage } from '@chorus/contract';

type Answer = Extract<OpenAiMessage, { role: 'assistant' }>;

/**
 * Turns OpenAI's `messages` into a conversation. `checkFields` has refused calls of tools and their results.
 *
 * @param at where the request stands, for errors
 * @throws {ChorusError} `invalid_request` when no message says anything
 */
export function toConversation(messages: readonly OpenAiMessage[], at = 'body'): ChatMessage[] {
  const conversation = messages.flatMap((message): ChatMessage[] => {
    if (message.role === 'tool' || message.role === 'function') return [];
    if (message.role !== 'assistant') return [message];
    const content = saidIn(message);
    return content === null ? [] : [{ role: 'assistant', content }];
  });
  if (conversation.length > 0) return conversation;
  const message = 'must hold a message that says something';
  const path = `${at}.messages`;
  throw new ChorusError('invalid_request', `${path}: ${message}`, { details: [{ path, message }] });
}

/** What an answer said; null: nothing. A refusal is what was said, too. */
function saidIn({ content, refusal }: Answer): ChatMessage['content'] | null {
  if (content == null) return refusal ?? null;
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'refusal' ? { type: 'text', text: part.refusal } : part));
}
