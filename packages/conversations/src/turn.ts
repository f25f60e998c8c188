import { ChorusError, newId, type Owner, titleFrom } from '@chorus/contract';
import type { MessageRecord } from '@chorus/database';
import type { ConversationStore } from './conversation-store.ts';
import { checkTurn, lockSession } from './lock-session.ts';
import { restartMessage } from './message-changes.ts';
import { unknownMessage } from './refusals.ts';

export interface TurnRequest {
  message: string;
  /** Ids of the assets that go with it. */
  attachments?: string[] | undefined;
  /** Absent: a new session is opened. */
  session_id?: string | undefined;
  /** `provider/model` */
  model: string;
  /** Of a session that is opened. */
  agent_id?: string | null;
  /** The ids that it gets; absent: new ones. */
  planned?: PlannedTurn | undefined;
  executionId: string;
}

/** Ids of a turn that were given before it begins. */
export interface PlannedTurn {
  session_id: string;
  user_message_id: string;
  assistant_message_id: string;
}

/** A turn whose session is locked by its execution and whose messages are stored: the assistant's is still empty. */
export interface OpenedTurn {
  session_id: string;
  user_message_id: string;
  assistant_message_id: string;
  /** What was done for it, and is undone when it is abandoned. */
  opened: 'session' | 'turn' | 'retry' | 'regeneration';
}

/** Gives a turn its ids; without a session, that of a new one too. */
export function planTurn(sessionId: string | undefined): PlannedTurn {
  return {
    session_id: sessionId ?? newId('session'),
    user_message_id: newId('message'),
    assistant_message_id: newId('message'),
  };
}

const TURN_MESSAGES = 2;

/**
 * Begins a turn: locks the session for the execution and stores the user's message and an empty assistant's message. A session without a
 * title is titled after the message. One round trip for a new session, two for one that exists.
 *
 * Throws `not_found` for an unknown session, `session_locked` with `active_execution_id` while another turn runs.
 */
export async function startTurn(store: ConversationStore, owner: Owner, request: TurnRequest): Promise<OpenedTurn> {
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
      title === null ? undefined : store.sessions.giveTitle(owner, turn.session_id, title),
    ]);
  } catch (error) {
    await abandonAndThrow(store, owner, turn, executionId, error);
  }
  return turn;
}

/**
 * Runs a turn again for a new execution: locks the session and empties the assistant's message. Throws like `startTurn`, and
 * `not_found` when the message is gone.
 */
export async function restartTurn(
  store: ConversationStore,
  owner: Owner,
  turn: Omit<OpenedTurn, 'opened'>,
  executionId: string,
): Promise<OpenedTurn> {
  const { session_id, user_message_id, assistant_message_id } = turn;
  await lockSession(store, owner, session_id, executionId, 0);
  const retry: OpenedTurn = { session_id, user_message_id, assistant_message_id, opened: 'retry' };
  try {
    const question = await store.messages.get(owner, user_message_id);
    if (question === null || (await restartMessage(store, owner, assistant_message_id, executionId)) === null)
      throw new ChorusError('not_found', 'The messages of this turn are gone.');
  } catch (error) {
    await abandonAndThrow(store, owner, retry, executionId, error);
  }
  return retry;
}

/**
 * Answers a message again: locks the session, adds a new empty answer at its end, and takes what lies between the two out of the conversation.
 * `message_id` is the user's message, or the answer that is to be replaced. Four round trips, five for an answer.
 *
 * Throws `not_found`, `session_locked` as `startTurn`, and `invalid_request` for a message that was itself replaced or answers nothing.
 */
export async function regenerateTurn(
  store: ConversationStore,
  owner: Owner,
  request: { message_id: string; session_id?: string | undefined; executionId: string },
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

/** Throws what `regenerateTurn` would throw now. */
export async function checkRegeneration(
  store: ConversationStore,
  owner: Owner,
  request: { message_id: string; session_id?: string | undefined },
): Promise<void> {
  await checkTurn(store, owner, (await questionOf(store, owner, request)).session_id);
}

async function questionOf(
  store: ConversationStore,
  owner: Owner,
  { message_id, session_id }: { message_id: string; session_id?: string | undefined },
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
  const question = await store.messages.lastOfUser(owner, message.session_id, message.position);
  if (question === null) {
    throw new ChorusError('invalid_request', 'This message answers nothing that is still there.', {
      details: [{ path, message: "must be a user's message, or an answer to one" }],
    });
  }
  return question;
}

/**
 * Undoes `startTurn` when its execution could not be stored or queued: its messages go, and so does a session that was opened
 * for it; another is free again. Of a turn that was to run again the message says that it failed. Can be repeated.
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
  // The lock goes last: until then nobody can add to the session.
  await store.messages.removeTurn(owner, session_id, executionId);
  if (turn.opened === 'session') return store.sessions.removeLocked(owner, session_id, executionId);
  const back = turn.opened === 'regeneration' ? await store.messages.bringBack(owner, session_id, executionId) : 0;
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
  // Where this fails too, the sweep frees the session: no execution of this id exists.
  await abandonTurn(store, owner, turn, executionId).catch(() => {});
  throw reason;
}

function messagesOf(
  turn: OpenedTurn,
  { message, attachments = [], executionId }: TurnRequest,
  owner: Owner,
  position: number,
): MessageRecord[] {
  const answer = answerOf(turn, owner, executionId, position + 1);
  const question = { role: 'user', content: message, attachments, status: 'succeeded', position } as const;
  return [{ ...answer, id: turn.user_message_id, ...question }, answer];
}

/** The assistant's message of a turn, still empty. */
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
