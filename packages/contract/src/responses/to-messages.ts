import type { ChatMessage, ToolCall } from '../chat.ts';
import type { ConversationItem, ConversationMessage } from './input-items.ts';

type Assistant = Extract<ChatMessage, { role: 'assistant' }>;
type UserPart = Exclude<Extract<ChatMessage, { role: 'user' }>['content'], string>[number];
type Output = Extract<ConversationItem, { type: 'function_call_output' }>;
type InputPart = Exclude<Extract<ConversationMessage, { role: 'user' }>['content'], string>[number];

/** Converts the items of a conversation to chat messages. */
export function toChatMessages(items: readonly ConversationItem[]): ChatMessage[] {
  return convertItems(items).messages;
}

/** Also returns the index of the last item that each message comes from. */
export function convertItems(items: readonly ConversationItem[]): { messages: ChatMessage[]; origins: number[] } {
  const conversion = new Conversion();
  const origins: number[] = [];
  for (const [index, item] of items.entries()) {
    conversion.add(item);
    while (origins.length < conversion.messages.length) origins.push(index);
  }
  const messages = conversion.end();
  while (origins.length < messages.length) origins.push(items.length - 1);
  return { messages, origins };
}

/**
 * An answer's reasoning, text, and calls become one assistant message. Images and files in the results of calls
 * follow in a user message, since tool messages hold text only.
 */
class Conversion {
  readonly messages: ChatMessage[] = [];
  #answer: Assistant | null = null;
  #media: UserPart[] = [];

  add(item: ConversationItem): void {
    if (item.type === 'function_call_output') {
      this.#endAnswer();
      this.#addResult(item);
      return;
    }
    this.#endResults();
    if (item.type === 'function_call') this.#addCall(item);
    else if (item.type === 'reasoning') this.#addReasoning(item);
    else this.#addMessage(item);
  }

  end(): ChatMessage[] {
    this.#endAnswer();
    this.#endResults();
    return this.messages;
  }

  #addMessage(message: ConversationMessage): void {
    if (message.role === 'assistant') return void this.#addAnswer(message);
    this.#endAnswer();
    const { role, content } = message;
    if (typeof content === 'string') this.messages.push({ role, content });
    else if (content.length === 0) this.messages.push({ role, content: '' });
    else if (role === 'user') this.messages.push({ role, content: content.map(userPart) });
    else this.messages.push({ role, content: content.map(textPart) });
  }

  #addAnswer({ content }: Extract<ConversationMessage, { role: 'assistant' }>): void {
    if (this.#answer?.content != null && !this.#answer.tool_calls) this.#endAnswer();
    const answer = this.#open();
    const parts = typeof content === 'string' ? [textPart({ text: content })] : content.map(answerPart);
    const held = typeof answer.content === 'string' ? [textPart({ text: answer.content })] : (answer.content ?? []);
    const [first, ...others] = [...held, ...parts];
    if (first === undefined) answer.content = '';
    else answer.content = others.length === 0 && first.type === 'text' ? first.text : [first, ...others];
  }

  #addCall(item: Extract<ConversationItem, { type: 'function_call' }>): void {
    const answer = this.#open();
    answer.tool_calls = [...(answer.tool_calls ?? []), callOf(item)];
  }

  #addReasoning({ summary, content, encrypted_content }: Extract<ConversationItem, { type: 'reasoning' }>): void {
    const held = this.#answer;
    if (held && !held.tool_calls && (held.content != null || held.reasoning_content != null)) this.#endAnswer();
    const answer = this.#open();
    const text = [...(content?.length ? content : summary)].map((part) => part.text).join('\n\n');
    answer.reasoning_content = [answer.reasoning_content, text].filter(Boolean).join('\n\n');
    if (encrypted_content != null) answer.reasoning_signature ??= encrypted_content;
  }

  #addResult({ call_id, output }: Output): void {
    const texts: string[] = [];
    for (const part of typeof output === 'string' ? [{ type: 'input_text' as const, text: output }] : output) {
      if (part.type === 'input_text') texts.push(part.text);
      else this.#media.push({ type: 'text', text: `Part of the result of ${call_id}:` }, userPart(part));
    }
    this.messages.push({ role: 'tool', tool_call_id: call_id, content: texts.join('\n') });
  }

  #open(): Assistant {
    this.#answer ??= { role: 'assistant' };
    return this.#answer;
  }

  #endAnswer(): void {
    const answer = this.#answer;
    this.#answer = null;
    // Reasoning alone is no message.
    if (answer?.content != null || answer?.tool_calls) this.messages.push(answer);
  }

  #endResults(): void {
    if (this.#media.length > 0) this.messages.push({ role: 'user', content: this.#media });
    this.#media = [];
  }
}

type AnswerPart = Exclude<NonNullable<Assistant['content']>, string>[number];
type GivenAnswerPart = Exclude<Extract<ConversationMessage, { role: 'assistant' }>['content'], string>[number];

function answerPart(part: GivenAnswerPart): AnswerPart {
  return part.type === 'refusal' ? part : textPart(part);
}

const textPart = ({ text }: { text: string }) => ({ type: 'text' as const, text });

function userPart(part: InputPart): UserPart {
  switch (part.type) {
    case 'input_text':
      return textPart(part);
    case 'input_audio':
      return part;
    case 'input_file': {
      const { file_data, file_id, filename } = part;
      return {
        type: 'file',
        file: { ...(file_data && { file_data }), ...(file_id && { file_id }), ...(filename && { filename }) },
      };
    }
    case 'input_image': {
      const { image_url: url, file_id, detail } = part;
      const fidelity = detail === 'original' ? 'high' : detail;
      return { type: 'image_url', image_url: { url: url ?? file_id ?? '', ...(fidelity && { detail: fidelity }) } };
    }
    default:
      throw part satisfies never;
  }
}

function callOf({
  call_id,
  name,
  arguments: text,
  signature,
}: Extract<ConversationItem, { type: 'function_call' }>): ToolCall {
  return {
    id: call_id,
    type: 'function',
    function: { name, arguments: text },
    ...(signature !== undefined && { signature }),
  };
}
