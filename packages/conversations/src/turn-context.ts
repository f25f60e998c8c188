import { ChorusError, type ConversationContext, type Owner } from '@chorus/contract';
import type { Database, MessageRecord } from '@chorus/database';

/** What lies between two messages of one side that become one. */
const BETWEEN_MERGED = '\n\n';

/** Bytes of UTF-8 that make a token, at the least: English has 4 to 5, code and other scripts about 3. */
const BYTES_PER_TOKEN = 3;

/** What a message costs besides its text, in tokens. */
const TOKENS_PER_MESSAGE = 4;

/** More are never shown, however short they are. */
const MAX_MESSAGES = 2_000;

/** How many tokens a text will be at the most, as a rule; models differ, and no tokenizer is asked. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN) + TOKENS_PER_MESSAGE;
}

/** What a picture costs, in tokens: models count from a few hundred to some thousands. */
const TOKENS_PER_ATTACHMENT = 1_500;

/** A message as a model is to be shown it; its pictures are still to be fetched. */
export interface ContextMessage {
  role: MessageRecord['role'];
  content: string;
  /** Ids of assets; absent: none. */
  attachments?: string[];
}

export interface TurnContext {
  /** Oldest first, sides taking turns. */
  messages: ContextMessage[];
  /** For the execution. */
  context: ConversationContext;
}

/**
 * What the model sees of a session at one turn: its newest messages up to the user's, as many as fit into `maxTokens`, and at least the
 * user's. Older ones are left out, whatever the session's length. Messages without content (an answer that failed before it began) are left out too;
 * messages of one side that then follow each other become one; the first is the user's, the last is the turn's. One round trip, two for a turn that is
 * not the session's newest.
 *
 * Throws `not_found` when the user's message is gone.
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
  // A turn that the session has left behind, such as one that runs again.
  const message = await store.messages.get(owner, turn.user_message_id);
  if (message === null || message.session_id !== turn.session_id)
    throw new ChorusError('not_found', "The user's message of this turn is gone.");
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
  // An answer to what is cut off has no place: providers want the user first.
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

/** What an answer says, without its references to sources: those were shown with its question alone, and a later question brings others. */
function withoutMarkers({ content, citations }: Pick<MessageRecord, 'content' | 'citations'>): string {
  return citations.reduce(
    (text, { marker }) => text.replaceAll(` [${marker}]`, '').replaceAll(`[${marker}]`, ''),
    content,
  );
}
