import { ChorusError, type ConversationContext, type Owner } from '@chorus/contract';
import type { Database, MessageRecord } from '@chorus/database';

/** Separator of merged messages of one role. */
const BETWEEN_MERGED = '\n\n';

/** Conservative estimate: English has 4 to 5 bytes of UTF-8 per token, code and other scripts about 3. */
const BYTES_PER_TOKEN = 3;

/** Overhead of each message. */
const TOKENS_PER_MESSAGE = 4;

/** Limit of messages sent to a model, however short. */
const MAX_MESSAGES = 2_000;

/** Returns an upper estimate of a text's tokens. Models differ, so no tokenizer is used. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN) + TOKENS_PER_MESSAGE;
}

/** Typical cost of an image; models count from several hundred to several thousand tokens. */
const TOKENS_PER_ATTACHMENT = 1_500;

/** A message for a model, with images still to be fetched. */
export interface ContextMessage {
  role: MessageRecord['role'];
  content: string;
  /** Ids of assets, if any. */
  attachments?: string[];
}

export interface TurnContext {
  /** Oldest first, with alternating roles. */
  messages: ContextMessage[];
  context: ConversationContext;
}

/**
 * Returns what the model sees of a session at one turn: the newest messages up to the user's that fit into
 * `maxTokens`, and at least the user's. Drops messages without content, such as an answer that failed before
 * its first
 * text, and merges neighbors of one role. The first message is the user's, and the last is the turn's. One
 * round trip;
 * two for a turn that is not the newest.
 *
 * Throws `not_found` if the user's message was deleted.
 */
export async function turnContext(
  store: Pick<Database, 'messages'>,
  owner: Owner,
  turn: { session_id: string; user_message_id: string },
  { maxTokens }: { maxTokens: number },
): Promise<TurnContext> {
  const limits = { maxMessages: MAX_MESSAGES, maxBytes: maxTokens * BYTES_PER_TOKEN };
  const newest = await store.messages.context(owner, turn.session_id, Number.MAX_SAFE_INTEGER, limits);
  const place = newest.messages.findIndex((message) => message.id === turn.user_message_id);
  if (place >= 0) return contextOf(newest.messages.slice(0, place + 1), newest.dropped, maxTokens);
  // An older turn of the session, such as one that runs again.
  const message = await store.messages.get(owner, turn.user_message_id);
  if (message === null || message.session_id !== turn.session_id)
    throw new ChorusError('not_found', "The user's message of this turn was deleted.");
  const older = await store.messages.context(owner, turn.session_id, message.position + 1, limits);
  return contextOf(older.messages, older.dropped, maxTokens);
}

function contextOf(found: MessageRecord[], older: boolean, maxTokens: number): TurnContext {
  let first = found.length;
  let tokens = 0;
  for (; first > 0; first--) {
    const cost = costOf(found[first - 1]);
    if (tokens > 0 && tokens + cost > maxTokens) break;
    tokens += cost;
  }
  // Providers require a user message first.
  for (; found[first]?.role === 'assistant'; first++) tokens -= costOf(found[first]);
  const messages = mergeSides(found.slice(first));
  return {
    messages,
    context: { messages: found.length - first, estimated_tokens: tokens, dropped: older || first > 0 },
  };
}

function costOf(message: MessageRecord | undefined): number {
  return message === undefined
    ? 0
    : estimateTokens(message.content) + message.attachments.length * TOKENS_PER_ATTACHMENT;
}

function mergeSides(messages: MessageRecord[]): ContextMessage[] {
  const merged: ContextMessage[] = [];
  for (const { role, attachments, ...message } of messages) {
    const last = merged.at(-1);
    const content = withoutMarkers(message);
    const shown = last?.role === role ? last : { role, content };
    if (shown === last) last.content += BETWEEN_MERGED + content;
    else merged.push(shown);
    if (attachments.length > 0) shown.attachments = [...(shown.attachments ?? []), ...attachments];
  }
  return merged;
}

/** Removes references to sources, which were only sent with that question. */
function withoutMarkers({ content, citations }: Pick<MessageRecord, 'content' | 'citations'>): string {
  return citations.reduce(
    (text, { marker }) => text.replaceAll(` [${marker}]`, '').replaceAll(`[${marker}]`, ''),
    content,
  );
}
