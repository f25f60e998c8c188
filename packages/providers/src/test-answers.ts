import type { ChatMessage } from '@chorus/contract';
import type { ChatPart } from './provider-port.ts';

export const parameters = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

const tool = (name: string) => ({
  type: 'function' as const,
  function: { name, description: `The ${name}`, parameters },
});
export const tools = [tool('weather'), tool('news')];

export const question: ChatMessage[] = [{ role: 'user', content: 'Zürich?' }];

export type Part<T extends ChatPart['type']> = Extract<ChatPart, { type: T }>;
export type Assistant = Extract<ChatMessage, { role: 'assistant' }>;

export const only = <T extends ChatPart['type']>(parts: { type: string }[], type: T): Part<T>[] =>
  parts.filter((part) => part.type === type) as Part<T>[];

export const textOf = (parts: { text: string }[]): string => parts.map(({ text }) => text).join('');

/** Joins text that was read in several parts, since the network decides how much one read returns. */
export function joinText<T extends { type: string }>(parts: readonly T[]): T[] {
  const joined: T[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (isPlain(last) && isPlain(part)) joined[joined.length - 1] = { ...last, text: last.text + part.text };
    else joined.push(part);
  }
  return joined;
}

const isPlain = <T extends { type: string }>(part: T | undefined): part is T & { text: string } =>
  part?.type === 'text' && !('logprobs' in part);

/** Assembles an answer as a conversation stores it. */
export function assistantOf(parts: { type: string }[]): Assistant {
  const reasoning_blocks: { text: string; signature?: string }[] = [];
  for (const { text, signature } of only(parts, 'reasoning')) {
    const last = reasoning_blocks.at(-1);
    if (last === undefined || last.signature !== undefined)
      reasoning_blocks.push({ text, ...(signature && { signature }) });
    else Object.assign(last, { text: last.text + text, ...(signature && { signature }) });
  }
  const calls = new Map<number, NonNullable<Assistant['tool_calls']>[number]>();
  for (const { index, id, name, arguments: delta, signature } of only(parts, 'tool_call')) {
    const call = calls.get(index) ?? { id, type: 'function' as const, function: { name, arguments: '' } };
    call.function.arguments += delta;
    calls.set(index, { ...call, ...(signature !== undefined && { signature }) });
  }
  return {
    role: 'assistant',
    content: textOf(only(parts, 'text')) || null,
    ...(reasoning_blocks.length > 0 && { reasoning_blocks }),
    ...(calls.size > 0 && { tool_calls: [...calls.values()] }),
  };
}

/** Returns a result for each call of an answer. */
export const resultsOf = ({ tool_calls }: Assistant): ChatMessage[] =>
  (tool_calls ?? []).map(({ id, function: { name } }) => ({ role: 'tool', tool_call_id: id, content: `the ${name}` }));
