import {
  ChorusError,
  type Deed,
  isTerminal,
  type ListQuery,
  type Owner,
  type Page,
  scopeKey,
  titleFrom,
} from '@chorus/contract';
import type { Database, MessageRecord, MessageRevisionRecord } from '@chorus/database';
import { isOfTurn } from '@chorus/executions';
import type { ConversationStore } from './conversation-store.ts';
import { sessionLocked, unknownMessage } from './refusals.ts';
import { turnHolds } from './turn-holds.ts';

export type MessageStore = Pick<Database, 'sessions' | 'messages' | 'messageRevisions'>;

/** What the caller believes the message's revision to be (`If-Match`); null: it does not matter. */
export type ExpectedRevision = number | null;

/** Each try starts over from what somebody else has just written, and of those that try at once one succeeds. */
const TRIES = 100;

/** What becomes of a message, but for the number that it gets. */
interface Step extends Pick<MessageRevisionRecord, 'action' | 'content' | 'citations' | 'restores' | 'undo_to'> {
  user_id: string | null;
  execution_id: string | null;
}

/**
 * Replaces a message's content; what it said stays in its history. Three or four round trips.
 *
 * @throws {ChorusError} `not_found`; `session_locked` while its turn runs; `conflict` when its revision is another than `expected`
 */
export function editMessage(
  store: ConversationStore,
  owner: Owner,
  id: string,
  edit: { content: string; expected: ExpectedRevision },
): Promise<MessageRecord> {
  return change(store, owner, id, edit.expected, async (message) => ({
    action: 'edited',
    content: edit.content,
    // What the new text refers to no more is not cited by it.
    citations: message.citations.filter(({ marker }) => edit.content.includes(`[${marker}]`)),
    restores: null,
    undo_to: message.effective_revision,
    user_id: owner.user_id,
    execution_id: null,
  }));
}

/**
 * Takes the last edit back that has not been taken back yet; the history gets a row for that too.
 *
 * @throws {ChorusError} as `editMessage`; `invalid_request` when there is nothing to undo
 */
export function undoEdit(
  store: ConversationStore,
  owner: Owner,
  id: string,
  { expected }: { expected: ExpectedRevision },
): Promise<MessageRecord> {
  return change(store, owner, id, expected, async (message) => {
    const edit = await store.messageRevisions.get(owner, id, message.effective_revision);
    const before =
      edit === null || edit.undo_to === null ? null : await store.messageRevisions.get(owner, id, edit.undo_to);
    if (before === null) throw new ChorusError('invalid_request', 'This message has no edit that could be undone.');
    return {
      action: 'undone',
      content: before.content,
      citations: before.citations,
      restores: before.revision,
      undo_to: null,
      user_id: owner.user_id,
      execution_id: null,
    };
  });
}

/** All revisions of a message, oldest first; the newest is what it says now. Throws `not_found`. */
export async function messageHistory(
  store: MessageStore,
  owner: Owner,
  id: string,
  query: ListQuery,
): Promise<Page<MessageRevisionRecord>> {
  const [message, page] = await Promise.all([
    store.messages.get(owner, id),
    store.messageRevisions.list(owner, id, query),
  ]);
  if (message === null) throw unknownMessage();
  // A row beyond the message's revision belongs to a change that has not been made yet, or never will.
  const rows = page.data
    .filter((row) => row.revision <= message.revision)
    // An answer that is still coming is only in the message.
    .map((row) =>
      row.revision === message.revision ? { ...row, content: message.content, citations: message.citations } : row,
    );
  if (rows.length === 0 && query.after === undefined) rows.push(rowOf(message));
  return { ...page, data: rows };
}

/**
 * Deletes a message with its history, and the session's title if it was taken from it. What its executions say goes with the deletion that the
 * caller carries out.
 *
 * @throws {ChorusError} as `editMessage`
 */
export async function removeMessage(
  store: ConversationStore,
  owner: Owner,
  id: string,
  { expected, actor, audit }: { expected: ExpectedRevision } & Deed,
): Promise<void> {
  const message = await changeable(store, owner, id, expected);
  await clearTitle(store, owner, message);
  if (!(await store.messages.remove(owner, id))) throw unknownMessage();
  await Promise.all([
    store.messageRevisions.removeByMessage(owner, id),
    message.superseded_by === null ? store.sessions.changeCount(owner, message.session_id, -1) : undefined,
  ]);
  const target = { type: 'message', id };
  await audit.record(actor, { scope_key: scopeKey(owner), action: 'message.deleted', target });
}

/** A session is titled after the first text of its first message. */
async function clearTitle(store: MessageStore, owner: Owner, message: MessageRecord): Promise<void> {
  if (message.role !== 'user') return;
  const first = await store.messageRevisions.get(owner, message.id, 1);
  const title = titleFrom(first?.content ?? message.content);
  if (title !== null) await store.sessions.clearTitle(owner, message.session_id, title);
}

/** Empties an answer whose turn runs again for `executionId`; what it said stays in its history. Null: no such message. */
export async function restartMessage(
  store: MessageStore,
  owner: Owner,
  id: string,
  executionId: string,
): Promise<MessageRecord | null> {
  for (let tries = 0; tries < TRIES; tries++) {
    const message = await store.messages.get(owner, id);
    if (message === null || message.role !== 'assistant') return null;
    if (message.superseded_by !== null)
      throw new ChorusError('job_not_retryable', 'The answer of this turn has been replaced by another.');
    const step = { action: 'restarted', content: '', restores: null, undo_to: null, user_id: null } as const;
    const restart = { status: 'queued', usage: null, voice: null, execution_id: executionId } as const;
    const restarted = await take(store, owner, message, { ...step, citations: [], execution_id: executionId }, restart);
    if (restarted !== null) return restarted;
  }
  throw changingTooQuickly();
}

/**
 * Cuts an answer that was spoken to what was heard of it; what it said stays in its history, and an undo brings it back. An answer that somebody has changed meanwhile
 * is left alone. Its turn must have ended.
 *
 * @param heard the beginning of the answer
 */
export async function cutAnswer(store: MessageStore, owner: Owner, id: string, heard: string): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    const message = await store.messages.get(owner, id);
    if (message === null || message.content === heard) return;
    // It may have been cut elsewhere before.
    if (!message.content.startsWith(heard) && !heard.startsWith(message.content)) return;
    const cut = await take(store, owner, message, {
      action: 'interrupted',
      content: heard,
      citations: message.citations.filter(({ marker }) => heard.includes(`[${marker}]`)),
      restores: null,
      undo_to: message.effective_revision,
      user_id: null,
      execution_id: message.execution_id,
    });
    if (cut !== null) return;
  }
  throw changingTooQuickly();
}

async function change(
  store: ConversationStore,
  owner: Owner,
  id: string,
  expected: ExpectedRevision,
  next: (message: MessageRecord) => Promise<Step>,
): Promise<MessageRecord> {
  for (let tries = 0; tries < TRIES; tries++) {
    const message = await changeable(store, owner, id, expected);
    const changed = await take(store, owner, message, await next(message));
    if (changed !== null) return changed;
  }
  throw changingTooQuickly();
}

/**
 * Makes a change in two steps, each of which can be repeated: its row takes the next number, then the message follows. A process that
 * dies between the two leaves a row that whoever comes next applies first. Null: somebody else was quicker.
 */
async function take(
  store: MessageStore,
  owner: Owner,
  message: MessageRecord,
  step: Step,
  also: Partial<Pick<MessageRecord, 'status' | 'usage' | 'execution_id'>> = {},
): Promise<MessageRecord | null> {
  const revision = message.revision + 1;
  const row = { ...rowOf(message), ...step, revision, created_at: new Date() };
  await store.messageRevisions.keep(owner, rowOf(message));
  if (!(await store.messageRevisions.claim(owner, row))) {
    const other = await store.messageRevisions.get(owner, message.id, revision);
    if (other !== null) await store.messages.revise(owner, message.id, message.revision, changeOf(other));
    return null;
  }
  const changed = await store.messages.revise(owner, message.id, message.revision, { ...changeOf(row), ...also });
  if (changed !== null) return changed;
  // Somebody applied our row for us, and perhaps went on from there; or the message is gone, and its history goes too.
  const now = await store.messages.get(owner, message.id);
  if (now !== null) return now.revision >= revision ? now : null;
  await store.messageRevisions.removeByMessage(owner, message.id);
  throw unknownMessage();
}

/** What a row makes of its message. */
function changeOf({ revision, restores, content, citations }: MessageRevisionRecord) {
  return { revision, effective_revision: restores ?? revision, content, citations };
}

/** The message, if it may change now. */
async function changeable(
  store: ConversationStore,
  owner: Owner,
  id: string,
  expected: ExpectedRevision,
): Promise<MessageRecord> {
  let message = await store.messages.get(owner, id);
  if (message === null) throw unknownMessage();
  const session = await store.sessions.get(owner, message.session_id);
  const active = session?.active_execution_id ?? null;
  if (active !== null && (await isInTurn(store, owner, message, active))) {
    if (await turnHolds(store, owner, active)) throw sessionLocked('The turn of this message is running.', active);
    // Its answer has just been stored.
    message = await store.messages.get(owner, id);
    if (message === null) throw unknownMessage();
  }
  if (expected !== null && expected !== message.revision) {
    throw new ChorusError('conflict', `The message has changed: its revision is ${message.revision} now.`, {
      details: [{ path: 'headers.if-match', message: `must be "${message.revision}"` }],
      extra: { revision: message.revision },
    });
  }
  return message;
}

/** Whether the session's running turn writes a message, or answers it: a turn that runs again, or anew, answers one of an earlier execution. */
async function isInTurn(
  store: ConversationStore,
  owner: Owner,
  message: MessageRecord,
  executionId: string,
): Promise<boolean> {
  if (!isTerminal(message.status) || message.execution_id === executionId) return true;
  const turn = await store.executions.get(owner, executionId);
  if (turn !== null) return isOfTurn(turn.input, message.id);
  // Its record is about to be stored.
  if (message.role !== 'user') return false;
  const asked = await store.messages.lastOfUser(owner, message.session_id, Number.MAX_SAFE_INTEGER);
  return asked?.id === message.id;
}

/** What a message says now, as a row of its history. */
function rowOf(message: MessageRecord): MessageRevisionRecord {
  return {
    owner: message.owner,
    session_id: message.session_id,
    message_id: message.id,
    revision: message.revision,
    action: 'created',
    content: message.content,
    citations: message.citations,
    restores: null,
    undo_to: null,
    user_id: message.role === 'user' ? message.owner.user_id : null,
    execution_id: message.role === 'assistant' ? message.execution_id : null,
    created_at: message.created_at,
  };
}

function changingTooQuickly(): ChorusError {
  return new ChorusError('conflict', 'The message is changing too quickly.', { retryAfterS: 1 });
}
