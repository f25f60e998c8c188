import type { Owner, TurnMessages } from '@chorus/contract';
import type { MessageRecord } from '@chorus/database';
import type { ConversationStore } from './conversation-store.ts';

/** Ids of a turn, reserved before it starts. */
export interface PlannedTurn extends TurnMessages {
  session_id: string;
  /** The title that the turn gives its session. Absent: the session has one. */
  titled?: string | undefined;
}

/** A turn with a locked session and stored messages, its answer still empty. */
export interface OpenedTurn extends PlannedTurn {
  /** How the turn was opened, and so what abandoning it undoes. */
  opened: 'session' | 'turn' | 'tool_outputs' | 'retry' | 'regeneration';
}

/** Number of messages that a turn with a new message adds. */
export const TURN_MESSAGES = 2;

/**
 * Undoes a turn whose execution could not be stored: removes its messages and the session that it created, or unlocks
 * the session. The message of a retry is marked as failed. Idempotent.
 */
export async function abandonTurn(
  store: ConversationStore,
  owner: Owner,
  turn: OpenedTurn,
  executionId: string,
): Promise<void> {
  const { session_id, assistant_message_id } = turn;
  if (turn.opened === 'retry') {
    const failed = { content: '', status: 'failed', usage: null, execution_id: executionId } as const;
    await store.messages.complete(owner, assistant_message_id, failed);
    await store.sessions.release(owner, session_id, executionId);
    return;
  }
  // Unlock last, so that no other turn starts before.
  await store.messages.removeTurn(owner, session_id, executionId);
  if (turn.opened === 'session') return store.sessions.removeLocked(owner, session_id, executionId);
  const back =
    turn.opened === 'regeneration' ? await store.messages.restoreSuperseded(owner, session_id, executionId) : 0;
  const added = turn.opened === 'tool_outputs' ? (turn.tool_message_ids?.length ?? 0) + 1 : TURN_MESSAGES;
  await store.sessions.release(owner, session_id, executionId, turn.opened === 'regeneration' ? 1 - back : added);
}

export async function abandonAndThrow(
  store: ConversationStore,
  owner: Owner,
  turn: OpenedTurn,
  executionId: string,
  reason: unknown,
): Promise<never> {
  // If this fails too, the sweep unlocks the session, because no execution has this id.
  await abandonTurn(store, owner, turn, executionId).catch(() => {});
  throw reason;
}

export function answerOf(turn: OpenedTurn, owner: Owner, executionId: string, position: number): MessageRecord {
  const now = new Date();
  return {
    id: turn.assistant_message_id,
    session_id: turn.session_id,
    owner,
    role: 'assistant',
    content: '',
    status: 'queued',
    position,
    revision: 1,
    effective_revision: 1,
    superseded_by: null,
    execution_id: executionId,
    citations: [],
    reasoning: [],
    tool_calls: [],
    tool_call_id: null,
    attachments: [],
    usage: null,
    created_at: now,
    updated_at: now,
  };
}
