import { type ChatMessage, ChorusError, type OpenAiMessage } from '@chorus/contract';

/**
 * Converts OpenAI's `messages` to a conversation, without empty answers.
 * @param at prefix of paths in errors
 * @throws {ChorusError} `invalid_request` when no message has content
 */
export function toConversation(messages: readonly OpenAiMessage[], at = 'body'): ChatMessage[] {
  const conversation = messages.filter(
    (message): message is ChatMessage =>
      message.role !== 'function' && (message.role !== 'assistant' || saysSomething(message)),
  );
  if (conversation.length > 0) return conversation;
  const message = 'must contain a message with content';
  const path = `${at}.messages`;
  throw new ChorusError('invalid_request', `${path}: ${message}`, { details: [{ path, message }] });
}

function saysSomething({ content, refusal, tool_calls }: Extract<OpenAiMessage, { role: 'assistant' }>): boolean {
  return content != null || refusal != null || (tool_calls ?? []).length > 0;
}
