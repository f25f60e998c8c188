import { type ChatMessage, ChorusError, type Owner } from '@chorus/contract';
import type { Database, MessageRecord } from '@chorus/database';

/** What lies between two messages of one side that become one. */
const BETWEEN_MERGED = '\n\n';

/**
 * What the model sees of a session at one turn: its newest messages up to the user's, oldest first, sides taking turns. Messages
 * without content (an answer that failed before it began) are left out; messages of one side that then follow each other become one; the first is
 * the user's, the last is the turn's. One round trip, two for a turn that is not the session's newest.
 *
 * Throws `not_found` when the user's message is gone.
 */
export async function turnContext(
  store: Pick<Database, 'messages'>,
  owner: Owner,
  turn: { session_id: string; user_message_id: string },
  { maxMessages }: { maxMessages: number },
): Promise<ChatMessage[]> {
  const newest = await store.messages.context(owner, turn.session_id, Number.MAX_SAFE_INTEGER, maxMessages);
  const place = newest.findIndex((message) => message.id === turn.user_message_id);
  const last = newest[place];
  const upToTurn =
    last === undefined ? await olderContext(store, owner, turn, maxMessages) : newest.slice(0, place + 1);
  return mergeSides(upToTurn);
}

/** The context of a turn that the session has left behind, such as one that runs again. */
async function olderContext(
  store: Pick<Database, 'messages'>,
  owner: Owner,
  turn: { session_id: string; user_message_id: string },
  maxMessages: number,
): Promise<MessageRecord[]> {
  const message = await store.messages.get(owner, turn.user_message_id);
  if (message === null || message.session_id !== turn.session_id)
    throw new ChorusError('not_found', "The user's message of this turn is gone.");
  return store.messages.context(owner, turn.session_id, message.position + 1, maxMessages);
}

function mergeSides(messages: MessageRecord[]): ChatMessage[] {
  const merged: { role: MessageRecord['role']; content: string }[] = [];
  for (const { role, content } of messages) {
    const last = merged.at(-1);
    // An answer to what is cut off has no place: providers want the user first.
    if (last === undefined && role === 'assistant') continue;
    if (last?.role === role) last.content += BETWEEN_MERGED + content;
    else merged.push({ role, content });
  }
  return merged;
}
