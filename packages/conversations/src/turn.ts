import { ChorusError, newId, type Owner, titleFrom } from '@chorus/contract';
import type { MessageRecord } from '@chorus/database';
import type { ConversationStore } from './conversation-store.ts';
import { checkUnlocked, lockSession } from './lock-session.ts';
import { restartMessage } from './message-changes.ts';
import { unknownMessage } from './refusals.ts';

/** How a turn starts: with a new message, by answering a message again, or as a retry. */
export type TurnStart =
  | ({ type: 'message' } & NewMessage)
  | ({ type: 'regeneration' } & Regeneration)
  | { type: 'retry'; turn: PlannedTurn };

export interface NewMessage {
  message: string;
  attachments?: string[] | undefined;
  /** Default: a new session. */
  session_id?: string | undefined;
  /** Agent of the new session. */
  agent_id?: string | null;
  planned?: PlannedTurn | undefined;
}

interface Regeneration {
  message_id: string;
  session_id?: string | undefined;
}

/** Ids of a turn, reserved before it starts. */
export interface PlannedTurn {
  session_id: string;
  user_message_id: string;
  assistant_message_id: string;
}

/** A turn with a locked session and stored messages, its answer still empty. */
export interface OpenedTurn extends PlannedTurn {
  /** Created or changed at the start; abandoning the turn undoes it. */
  opened: 'session' | 'turn' | 'retry' | 'regeneration';
}

/**
 * Starts a turn for an execution: locks the session and stores its messages, with an empty answer.
 *
 * @throws {ChorusError} `not_found`; `session_locked` while another turn runs; `invalid_request` for a message
 * that cannot be answered again
 */
export async function beginTurn(store: ConversationStore, owner: Owner, start: TurnStart, executionId: string) {
  const { opened, ...turn } = await openTurn(store, owner, start, executionId);
  const undo = () => abandonTurn(store, owner, { ...turn, opened }, executionId);
  return { turn, opened, session_id: turn.session_id, message_id: turn.assistant_message_id, undo };
}

/** Throws what `beginTurn` would throw, without storing anything. */
export async function checkTurn(store: ConversationStore, owner: Owner, start: TurnStart): Promise<void> {
  const { session_id } =
    start.type === 'retry' ? start.turn : start.type === 'message' ? start : await questionOf(store, owner, start);
  if (session_id !== undefined) await checkUnlocked(store, owner, session_id);
}

function openTurn(store: ConversationStore, owner: Owner, start: TurnStart, executionId: string) {
  if (start.type === 'retry') return restartTurn(store, owner, start.turn, executionId);
  if (start.type === 'regeneration') return regenerateTurn(store, owner, { ...start, executionId });
  return startTurn(store, owner, { ...start, executionId });
}

/** Reserves ids for a turn, and for its session if it creates one. */
export function planTurn(sessionId: string | undefined): PlannedTurn {
  return {
    session_id: sessionId ?? newId('session'),
    user_message_id: newId('message'),
    assistant_message_id: newId('message'),
  };
}

const TURN_MESSAGES = 2;

/**
 * Starts a turn with a new message: locks the session and stores the message with an empty answer. The message
 * also
 * sets a missing title. One round trip for a new session, two for an existing one.
 *
 * @throws {ChorusError} `not_found`; `session_locked` with `active_execution_id` while another turn runs
 */
export async function startTurn(
  store: ConversationStore,
  owner: Owner,
  request: NewMessage & { executionId: string },
): Promise<OpenedTurn> {
  const { session_id, executionId } = request;
  const turn: OpenedTurn = {
    ...(request.planned ?? planTurn(session_id)),
    opened: session_id === undefined ? 'session' : 'turn',
  };
  if (turn.opened === 'session') {
    const done = await Promise.allSettled([
      store.sessions.create(owner, {
        id: turn.session_id,
        title: titleFrom(request.message),
        pinned: false,
        starred: false,
        agent_id: request.agent_id ?? null,
        metadata: {},
        active_execution_id: executionId,
        message_count: TURN_MESSAGES,
      }),
      store.messages.insert(owner, messagesOf(turn, request, owner, 0)),
    ]);
    const failure = done.find((one) => one.status === 'rejected');
    if (failure !== undefined) await abandonAndThrow(store, owner, turn, executionId, failure.reason);
    return turn;
  }
  const { position, untitled } = await lockSession(store, owner, turn.session_id, executionId, TURN_MESSAGES);
  const title = untitled ? titleFrom(request.message) : null;
  try {
    await Promise.all([
      store.messages.insert(owner, messagesOf(turn, request, owner, position)),
      title === null ? undefined : store.sessions.setMissingTitle(owner, turn.session_id, title),
    ]);
  } catch (error) {
    await abandonAndThrow(store, owner, turn, executionId, error);
  }
  return turn;
}

/**
 * Repeats a turn for a new execution: locks the session and empties the answer.
 *
 * @throws {ChorusError} like `startTurn`; `not_found` if the messages were deleted
 */
export async function restartTurn(
  store: ConversationStore,
  owner: Owner,
  turn: PlannedTurn,
  executionId: string,
): Promise<OpenedTurn> {
  const { session_id, user_message_id, assistant_message_id } = turn;
  await lockSession(store, owner, session_id, executionId, 0);
  const retry: OpenedTurn = { session_id, user_message_id, assistant_message_id, opened: 'retry' };
  try {
    const question = await store.messages.get(owner, user_message_id);
    if (question === null || (await restartMessage(store, owner, assistant_message_id, executionId)) === null)
      throw new ChorusError('not_found', 'The messages of this turn were deleted.');
  } catch (error) {
    await abandonAndThrow(store, owner, retry, executionId, error);
  }
  return retry;
}

/**
 * Answers a message again: locks the session, adds an empty answer, and supersedes the messages in between.
 * `message_id` is the user's message or the answer to replace. Four round trips, five for an answer.
 *
 * @throws {ChorusError} like `startTurn`; `invalid_request` for a superseded message, or an answer without its
 * question
 */
export async function regenerateTurn(
  store: ConversationStore,
  owner: Owner,
  request: Regeneration & { executionId: string },
): Promise<OpenedTurn> {
  const { executionId } = request;
  const question = await questionOf(store, owner, request);
  const turn: OpenedTurn = {
    session_id: question.session_id,
    user_message_id: question.id,
    assistant_message_id: newId('message'),
    opened: 'regeneration',
  };
  const { position } = await lockSession(store, owner, turn.session_id, executionId, 1);
  try {
    await store.messages.insert(owner, [answerOf(turn, owner, executionId, position)]);
    const between = { after: question.position, before: position };
    const replaced = await store.messages.supersede(owner, turn.session_id, between, executionId);
    if (replaced > 0) await store.sessions.changeCount(owner, turn.session_id, -replaced);
  } catch (error) {
    await abandonAndThrow(store, owner, turn, executionId, error);
  }
  return turn;
}

async function questionOf(
  store: ConversationStore,
  owner: Owner,
  { message_id, session_id }: Regeneration,
): Promise<MessageRecord> {
  const message = await store.messages.get(owner, message_id);
  if (message === null || (session_id !== undefined && message.session_id !== session_id)) throw unknownMessage();
  const path = 'body.regenerate_from';
  if (message.superseded_by !== null) {
    throw new ChorusError('invalid_request', 'This message is no longer part of its conversation.', {
      details: [{ path, message: `was replaced by ${message.superseded_by}` }],
    });
  }
  if (message.role === 'user') return message;
  const question = await store.messages.lastUserMessage(owner, message.session_id, message.position);
  if (question === null) {
    throw new ChorusError('invalid_request', 'The question of this answer was deleted.', {
      details: [{ path, message: "must be a user's message, or an answer to one" }],
    });
  }
  return question;
}

/**
 * Undoes a turn whose execution could not be stored: removes its messages and the session that it created, or
 * unlocks
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
  // Unlocks last, so that no other turn starts before.
  await store.messages.removeTurn(owner, session_id, executionId);
  if (turn.opened === 'session') return store.sessions.removeLocked(owner, session_id, executionId);
  const back =
    turn.opened === 'regeneration' ? await store.messages.restoreSuperseded(owner, session_id, executionId) : 0;
  await store.sessions.release(
    owner,
    session_id,
    executionId,
    turn.opened === 'regeneration' ? 1 - back : TURN_MESSAGES,
  );
}

async function abandonAndThrow(
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

function messagesOf(
  turn: OpenedTurn,
  { message, attachments = [], executionId }: NewMessage & { executionId: string },
  owner: Owner,
  position: number,
): MessageRecord[] {
  const answer = answerOf(turn, owner, executionId, position + 1);
  const question = { role: 'user', content: message, attachments, status: 'succeeded', position } as const;
  return [{ ...answer, id: turn.user_message_id, ...question }, answer];
}

function answerOf(turn: OpenedTurn, owner: Owner, executionId: string, position: number): MessageRecord {
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
    attachments: [],
    usage: null,
    created_at: now,
    updated_at: now,
  };
}
