import { ChorusError, newId, type Owner, titleFrom } from '@chorus/contract';
import type { MessageRecord } from '@chorus/database';
import type { ConversationStore } from './conversation-store.ts';
import { checkUnlocked, lockSession } from './lock-session.ts';
import {
  abandonAndThrow,
  abandonTurn,
  answerOf,
  type OpenedTurn,
  type PlannedTurn,
  TURN_MESSAGES,
} from './opened-turn.ts';
import { unknownMessage } from './refusals.ts';
import { restartMessage } from './revise-message.ts';
import { checkNothingOpen, continueTurn, lastResultOf, resultsUpTo, type ToolOutputs } from './tool-turn.ts';

/** How a turn starts: with a new message or tool results, by answering a message again, or as a retry. */
export type TurnStart =
  | ({ type: 'message' } & NewMessage)
  | ({ type: 'tool_outputs' } & ToolOutputs)
  | ({ type: 'regeneration' } & Regeneration)
  | { type: 'retry'; turn: PlannedTurn };

export interface NewMessage {
  message: string;
  attachments?: string[] | undefined;
  /** Default: a new session. */
  session_id?: string | undefined;
  /** Whether the new session is temporary. */
  temporary?: boolean | undefined;
  /** Agent of the new session. */
  agent_id?: string | null;
  planned?: PlannedTurn | undefined;
}

interface Regeneration {
  message_id: string;
  session_id?: string | undefined;
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
    start.type === 'retry' ? start.turn : start.type === 'regeneration' ? await questionOf(store, owner, start) : start;
  if (session_id !== undefined) await checkUnlocked(store, owner, session_id);
}

function openTurn(store: ConversationStore, owner: Owner, start: TurnStart, executionId: string) {
  if (start.type === 'retry') return restartTurn(store, owner, start.turn, executionId);
  if (start.type === 'regeneration') return regenerateTurn(store, owner, { ...start, executionId });
  if (start.type === 'tool_outputs') return continueTurn(store, owner, { ...start, executionId });
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

/**
 * Starts a turn with a new message: locks the session and stores the message with an empty answer. The message also
 * sets a missing title. One round trip for a new session, two for an existing one.
 *
 * @throws {ChorusError} `not_found`; `session_locked` with `active_execution_id` while another turn runs;
 * `invalid_request` while the session waits for results of tools
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
    const { temporary = false } = request;
    const title = temporary ? null : titleFrom(request.message);
    const done = await Promise.allSettled([
      store.sessions.create(owner, {
        id: turn.session_id,
        title,
        pinned: false,
        starred: false,
        temporary,
        agent_id: request.agent_id ?? null,
        metadata: {},
        active_execution_id: executionId,
        message_count: TURN_MESSAGES,
      }),
      store.messages.insert(owner, messagesOf(turn, request, owner, 0)),
    ]);
    const failure = done.find((one) => one.status === 'rejected');
    if (failure !== undefined) await abandonAndThrow(store, owner, turn, executionId, failure.reason);
    return withTitle(turn, title);
  }
  // The last answer is stored before its turn unlocks the session.
  const last = store.messages.last(owner, turn.session_id, Number.MAX_SAFE_INTEGER);
  last.catch(() => undefined);
  const { position, needsTitle } = await lockSession(store, owner, turn.session_id, executionId, TURN_MESSAGES);
  const title = needsTitle ? titleFrom(request.message) : null;
  try {
    checkNothingOpen(await last);
    await Promise.all([
      store.messages.insert(owner, messagesOf(turn, request, owner, position)),
      title === null ? undefined : store.sessions.setMissingTitle(owner, turn.session_id, title),
    ]);
  } catch (error) {
    await abandonAndThrow(store, owner, turn, executionId, error);
  }
  return withTitle(turn, title);
}

const withTitle = (turn: OpenedTurn, title: string | null): OpenedTurn =>
  title === null ? turn : { ...turn, titled: title };

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
  const { session_id, user_message_id, assistant_message_id, tool_message_ids, titled } = turn;
  await lockSession(store, owner, session_id, executionId, 0);
  const ids = { user_message_id, assistant_message_id, ...(tool_message_ids && { tool_message_ids }) };
  const again = { ...ids, ...(titled !== undefined && { titled }) };
  const retry: OpenedTurn = { session_id, ...again, opened: 'retry' };
  try {
    const question = await store.messages.get(owner, user_message_id);
    const questionRevision = question?.effective_revision ?? 1;
    const restart = { executionId, questionRevision };
    if (question === null || (await restartMessage(store, owner, assistant_message_id, restart)) === null)
      throw new ChorusError('not_found', 'The messages of this turn were deleted.');
  } catch (error) {
    await abandonAndThrow(store, owner, retry, executionId, error);
  }
  return retry;
}

/**
 * Answers a message again: locks the session, adds an empty answer, and supersedes the messages in between.
 * `message_id` is the user's message, a result of a tool, or the answer to replace. Six round trips, more for an
 * answer or results of tools.
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
    ...(question.role === 'tool' && { tool_message_ids: await resultsUpTo(store, owner, question) }),
    opened: 'regeneration',
  };
  const { position } = await lockSession(store, owner, turn.session_id, executionId, 1);
  try {
    // The question may have been edited before the lock.
    const [asked, replacedAnswer] = await Promise.all([
      store.messages.get(owner, question.id),
      store.messages.next(owner, question.session_id, question.position),
    ]);
    if (replacedAnswer?.role === 'assistant') await store.messages.addVersion(owner, replacedAnswer.id, question.id);
    const { effective_revision } = asked ?? question;
    const answers = { question_id: question.id, question_revision: effective_revision };
    await store.messages.insert(owner, [{ ...answerOf(turn, owner, executionId, position), ...answers }]);
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
  if (message.role === 'tool') return lastResultOf(store, owner, message);
  const question = await store.messages.last(owner, message.session_id, message.position, ['user', 'tool']);
  if (question === null) {
    throw new ChorusError('invalid_request', 'The question of this answer was deleted.', {
      details: [{ path, message: "must be a user's message, the result of a tool, or an answer to one" }],
    });
  }
  return question;
}

function messagesOf(
  turn: OpenedTurn,
  { message, attachments = [], executionId }: NewMessage & { executionId: string },
  owner: Owner,
  position: number,
): MessageRecord[] {
  const answer = answerOf(turn, owner, executionId, position + 1);
  const question = { role: 'user', content: message, attachments, status: 'succeeded', position } as const;
  return [
    { ...answer, id: turn.user_message_id, ...question },
    { ...answer, question_revision: 1 },
  ];
}
