import {
  ChorusError,
  type ConversationContext,
  callOutcome,
  type Owner,
  type ReasoningBlock,
  type ToolCall,
} from '@chorus/contract';
import { type Database, type MessageRecord, SHOWN_RESULT_CHARS } from '@chorus/database';
import { BYTES_PER_TOKEN, estimateTokens, TOKENS_PER_ATTACHMENT } from '@chorus/providers/usage';
import { imagesOf } from './attachments.ts';

/** Separator of merged messages of one role. */
const BETWEEN_MERGED = '\n\n';

/** Limit of messages sent to a model, however short. */
const MAX_MESSAGES = 2_000;

/** A message for a model. Its images have not been fetched yet. */
export type ContextMessage =
  | { role: 'user'; content: string /** Ids of assets, if any. */; attachments?: string[] }
  | { role: 'assistant'; content: string; tool_calls?: ToolCall[]; reasoning?: ReasoningBlock[] }
  | { role: 'tool'; content: string; tool_call_id: string };

export interface TurnContext {
  /** Oldest first, with alternating roles. Each tool call is followed by its result. */
  messages: ContextMessage[];
  context: ConversationContext;
}

export interface ContextTurn {
  session_id: string;
  /** The message that the turn answers: the user's, or the last result of a tool. */
  user_message_id: string;
  /** All results of tools that the turn answers. */
  tool_message_ids?: readonly string[] | undefined;
}

/**
 * Returns the part of a session that the model sees in one turn: the newest messages up to the one it answers that
 * fit into `maxTokens`, and at least the user's, with the newest tool results. Drops messages without content, such
 * as an answer that failed before its first text, and merges consecutive messages of one role. The first message is
 * the user's, and the last is the turn's. Takes one round trip, or two for a turn that is not the newest, or whose
 * tool calls fill the context.
 *
 * Throws `not_found` if the message that it answers, or the user's, was deleted.
 *
 * @param tools Whether the model gets tools now. Without tools, some models refuse earlier calls.
 * @param steps Whether to show calls that ran on the server, with the beginning of their results.
 */
export async function turnContext(
  store: Pick<Database, 'messages'>,
  owner: Owner,
  turn: ContextTurn,
  { maxTokens, tools = true, steps = false }: { maxTokens: number; tools?: boolean; steps?: boolean },
): Promise<TurnContext> {
  // Tool results are useless without their calls.
  const atLeast = (turn.tool_message_ids?.length ?? 0) + 1;
  const limits = { maxMessages: MAX_MESSAGES, maxBytes: maxTokens * BYTES_PER_TOKEN, atLeast };
  let found = await store.messages.context(owner, turn.session_id, Number.MAX_SAFE_INTEGER, limits);
  let place = found.messages.findIndex((message) => message.id === turn.user_message_id);
  if (place < 0) {
    // The turn is not the session's newest, for example because it runs again.
    const message = await store.messages.get(owner, turn.user_message_id);
    if (message === null || message.session_id !== turn.session_id)
      throw new ChorusError('not_found', 'The message that this turn answers was deleted.');
    found = await store.messages.context(owner, turn.session_id, message.position + 1, limits);
    place = found.messages.length - 1;
  }
  const messages = found.messages.slice(0, place + 1);
  const first = messages[0];
  if (first !== undefined && !messages.some(({ role }) => role === 'user')) {
    const question = await store.messages.last(owner, turn.session_id, first.position, ['user']);
    if (question === null) throw new ChorusError('not_found', "The user's message of this turn was deleted.");
    messages.unshift(question);
  }
  return contextOf(messages, { older: found.dropped, maxTokens, tools, steps });
}

/** A message with the results of its tool calls. */
interface Exchange {
  messages: ContextMessage[];
  tokens: number;
}

function contextOf(
  found: MessageRecord[],
  { older, maxTokens, tools, steps }: { older: boolean; maxTokens: number; tools: boolean; steps: boolean },
): TurnContext {
  const asked = found.findLastIndex(({ role }) => role === 'user');
  const exchanges = exchangesOf(found, asked, { tools, steps });
  const question = exchanges.findLastIndex(({ messages: [message] }) => message?.role === 'user');
  let first = exchanges.length;
  let tokens = 0;
  for (; first > 0; first--) {
    const cost = exchanges[first - 1]?.tokens ?? 0;
    if (tokens > 0 && tokens + cost > maxTokens) break;
    tokens += cost;
  }
  const kept = exchanges.slice(first);
  if (first > question) {
    // The turn's own tool calls fill the context: the oldest are left out.
    const user = exchanges[question];
    tokens += user?.tokens ?? 0;
    kept.unshift(...(user ? [user] : []));
  } else {
    // Providers require a user message first.
    for (; kept[0] && kept[0].messages[0]?.role !== 'user'; kept.shift()) tokens -= kept[0].tokens;
  }
  const dropped = older || kept.length < exchanges.length;
  const messages = kept.flatMap((exchange) => exchange.messages);
  return {
    messages: mergeSides(messages),
    context: { messages: messages.length, estimated_tokens: tokens, dropped },
  };
}

/**
 * Groups tool calls with their results. An incomplete group keeps only its text.
 *
 * @param asked Index of the user's last message. Reasoning before it is no longer used.
 * @param tools Whether to keep calls before it.
 */
function exchangesOf(
  found: MessageRecord[],
  asked: number,
  { tools, steps: showsSteps }: { tools: boolean; steps: boolean },
): Exchange[] {
  const exchanges: Exchange[] = [];
  for (let at = 0; at < found.length; at += 1) {
    const message = found[at] as MessageRecord;
    const { attachments, tool_calls: calls, reasoning } = message;
    const taken = showsSteps ? stepsOf(message) : { messages: [], rest: message.content };
    const content = withoutMarkers({ ...message, content: taken.rest });
    if (message.role === 'tool') continue; // its call is missing
    if (message.role === 'user') {
      const images = imagesOf(attachments);
      const shown = images.length > 0 ? { attachments: images } : {};
      exchanges.push(exchangeOf([{ role: 'user', content, ...shown }]));
      continue;
    }
    const thought = at > asked && reasoning.length > 0 ? { reasoning } : {};
    const results = resultsAfter(found, at);
    const isAnswered = calls.length > 0 && (tools || at > asked) && calls.every(({ id }) => results.has(id));
    if (isAnswered) {
      const answers = calls.map(
        ({ id }): ContextMessage => ({ role: 'tool', tool_call_id: id, content: results.get(id) ?? '' }),
      );
      exchanges.push(
        exchangeOf([...taken.messages, { role: 'assistant', content, tool_calls: calls, ...thought }, ...answers]),
      );
      at += results.size;
    } else if (content !== '' || taken.messages.length > 0) {
      // Providers require an answer after results.
      exchanges.push(exchangeOf([...taken.messages, { role: 'assistant', content: content || '…', ...thought }]));
    }
  }
  return exchanges;
}

/** Returns the steps of an agent's answer as messages, and the rest of its text. Edited text is not split. */
function stepsOf({ content, steps = [] }: MessageRecord): { messages: ContextMessage[]; rest: string } {
  const said = steps.map((step) => step.content).join('');
  const isWhole = content.startsWith(said);
  const messages = steps.flatMap((step): ContextMessage[] => [
    {
      role: 'assistant',
      content: isWhole ? step.content.trim() : '',
      tool_calls: step.tool_calls.map(({ id, name, arguments: args }) => ({
        id,
        type: 'function',
        function: { name, arguments: args },
      })),
    },
    ...step.tool_calls.map(
      (call): ContextMessage => ({ role: 'tool', tool_call_id: call.id, content: beginningOf(callOutcome(call)) }),
    ),
  ]);
  return { messages, rest: isWhole ? content.slice(said.length).trimStart() : content };
}

function beginningOf(result: string): string {
  if (result.length <= SHOWN_RESULT_CHARS) return result;
  return `${result.slice(0, SHOWN_RESULT_CHARS).toWellFormed()}\n\n[Cut: a result of an earlier turn.]`;
}

/** Returns the tool results that directly follow a message, by call. */
function resultsAfter(found: MessageRecord[], at: number): Map<string, string> {
  const results = new Map<string, string>();
  for (let next = at + 1; found[next]?.role === 'tool'; next += 1) {
    const { tool_call_id, content } = found[next] as MessageRecord;
    if (tool_call_id !== null) results.set(tool_call_id, content);
  }
  return results;
}

function exchangeOf(messages: ContextMessage[]): Exchange {
  return { messages, tokens: messages.reduce((sum, message) => sum + costOf(message), 0) };
}

function costOf(message: ContextMessage): number {
  const tokens = estimateTokens(message.content);
  if (message.role === 'user') return tokens + (message.attachments?.length ?? 0) * TOKENS_PER_ATTACHMENT;
  if (message.role === 'tool') return tokens;
  const calls = (message.tool_calls ?? []).map(({ function: { name, arguments: text } }) => name + text);
  const thoughts = (message.reasoning ?? []).map(({ text }) => text);
  return [...calls, ...thoughts].reduce((sum, text) => sum + estimateTokens(text), tokens);
}

function mergeSides(messages: ContextMessage[]): ContextMessage[] {
  const merged: ContextMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (last?.role === 'user' && message.role === 'user') {
      last.content += BETWEEN_MERGED + message.content;
      const { attachments = [] } = message;
      if (attachments.length > 0) last.attachments = [...(last.attachments ?? []), ...attachments];
    } else if (last?.role === 'assistant' && message.role === 'assistant' && last.tool_calls === undefined) {
      Object.assign(last, { ...message, content: last.content + BETWEEN_MERGED + message.content });
    } else {
      merged.push({ ...message });
    }
  }
  return merged;
}

/** Removes references to sources, which were only sent with their question. */
function withoutMarkers({ content, citations }: Pick<MessageRecord, 'content' | 'citations'>): string {
  return citations.reduce(
    (text, { marker }) => text.replaceAll(` [${marker}]`, '').replaceAll(`[${marker}]`, ''),
    content,
  );
}
