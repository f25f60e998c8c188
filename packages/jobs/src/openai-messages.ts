import { type ChatMessage, ChorusError, type OpenAiMessage } from '@chorus/contract';

type Answer = Extract<OpenAiMessage, { role: 'assistant' }>;

/**
 * Converts OpenAI's `messages` to a conversation. `checkFields` has already refused tool calls.
 * @param at prefix of paths in errors
 * @throws {ChorusError} `invalid_request` when no message has content
 */
export function toConversation(messages: readonly OpenAiMessage[], at = 'body'): ChatMessage[] {
  const conversation = messages.flatMap((message): ChatMessage[] => {
    if (message.role === 'tool' || message.role === 'function') return [];
    if (message.role !== 'assistant') return [message];
    const content = textOf(message);
    return content === null ? [] : [{ role: 'assistant', content }];
  });
  if (conversation.length > 0) return conversation;
  const message = 'must contain a message with content';
  const path = `${at}.messages`;
  throw new ChorusError('invalid_request', `${path}: ${message}`, { details: [{ path, message }] });
}

/** Returns an answer's text or refusal. Null: it has neither. */
function textOf({ content, refusal }: Answer): ChatMessage['content'] | null {
  if (content == null) return refusal ?? null;
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'refusal' ? { type: 'text', text: part.refusal } : part));
}
