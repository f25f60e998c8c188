import {
  type AuditContext,
  ChorusError,
  type ExpectedRevisions,
  isExpected,
  isTerminal,
  type ListQuery,
  type MessageRating,
  type Owner,
  type Page,
  scopeKey,
} from '@chorus/contract';
import type { MessageRecord, MessageRevisionRecord } from '@chorus/database';
import { isOfTurn } from '@chorus/executions';
import type { ConversationStore } from './conversation-store.ts';
import { turnHolds } from './lock-session.ts';
import { sessionLocked, unknownMessage } from './refusals.ts';
import {
  changingTooQuickly,
  derivedTitles,
  MAX_TRIES,
  type MessageStore,
  rowOf,
  type Step,
  take,
} from './revise-message.ts';
import { restoreAnswerTo } from './versions.ts';

/**
 * Replaces a message's content and keeps the old content in its history. Three or four round trips.
 *
 * @throws {ChorusError} `not_found`; `session_locked` while its turn runs; `conflict` if the revision is not
 * `expected`
 */
export function editMessage(
  store: ConversationStore,
  owner: Owner,
  id: string,
  edit: { content: string; expected: ExpectedRevisions },
): Promise<MessageRecord> {
  return change(store, owner, id, edit.expected, async (message) => ({
    action: 'edited',
    content: edit.content,
    // Drops citations that the new text no longer refers to.
    citations: message.citations.filter(({ marker }) => edit.content.includes(`[${marker}]`)),
    restores: null,
    undo_to: message.effective_revision,
    user_id: owner.user_id,
    execution_id: null,
  }));
}

/**
 * Undoes the last edit that is still in effect, by adding another revision. The answer that belongs to the text
 * becomes current again, unless a turn of the session runs.
 *
 * @throws {ChorusError} as `editMessage`; `invalid_request` if there is nothing to undo
 */
export async function undoEdit(
  store: ConversationStore,
  owner: Owner,
  id: string,
  { expected }: { expected: ExpectedRevisions },
): Promise<MessageRecord> {
  const undone = await change(store, owner, id, expected, async (message) => {
    const edit = await store.messageRevisions.get(owner, id, message.effective_revision);
    const before =
      edit === null || edit.undo_to === null ? null : await store.messageRevisions.get(owner, id, edit.undo_to);
    if (before === null) throw new ChorusError('invalid_request', 'This message has no edit to undo.');
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
  await restoreAnswerTo(store, owner, undone);
  return undone;
}

/** Returns all revisions of a message, oldest first; the last is the current content. Throws `not_found`. */
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
  // Skips the row of a change that is not applied yet, and may never be.
  const rows = page.data
    .filter((row) => row.revision <= message.revision)
    // The row of an unfinished answer is empty; the message has its text.
    .map((row) =>
      row.revision === message.revision ? { ...row, content: message.content, citations: message.citations } : row,
    );
  if (rows.length === 0 && query.after === undefined) rows.push(rowOf(message));
  return { ...page, data: rows };
}

/**
 * Deletes a message with its history, and the session's title if it was derived from it. The caller's
 * deletion covers its executions.
 *
 * @throws {ChorusError} as `editMessage`
 */
export async function removeMessage(
  store: ConversationStore,
  owner: Owner,
  id: string,
  { expected, actor, audit }: { expected: ExpectedRevisions } & AuditContext,
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

/**
 * Stores the user's rating of an answer; null removes it. The message keeps its revision.
 *
 * @throws {ChorusError} `not_found`; `invalid_request` for another message than an answer
 */
export async function rateMessage(
  store: ConversationStore,
  owner: Owner,
  id: string,
  rating: MessageRating,
): Promise<MessageRecord> {
  const rated = await store.messages.rate(owner, id, rating);
  if (rated !== null) return rated;
  if ((await store.messages.get(owner, id)) === null) throw unknownMessage();
  throw new ChorusError('invalid_request', 'Only answers can be rated.', {
    details: [{ path: 'path.message_id', message: 'must be an answer' }],
  });
}

async function clearTitle(store: MessageStore, owner: Owner, message: MessageRecord): Promise<void> {
  await store.sessions.clearModelTitle(owner, message.session_id, message.id);
  if (message.role !== 'user') return;
  const derived = await derivedTitles(store, owner, message);
  for (const title of derived) await store.sessions.clearTitle(owner, message.session_id, title);
}

async function change(
  store: ConversationStore,
  owner: Owner,
  id: string,
  expected: ExpectedRevisions,
  next: (message: MessageRecord) => Promise<Step>,
): Promise<MessageRecord> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const message = await changeable(store, owner, id, expected);
    const changed = await take(store, owner, message, await next(message));
    if (changed !== null) return changed;
  }
  throw changingTooQuickly();
}

/** Returns the message if it may be changed now. */
async function changeable(
  store: ConversationStore,
  owner: Owner,
  id: string,
  expected: ExpectedRevisions,
): Promise<MessageRecord> {
  let message = await store.messages.get(owner, id);
  if (message === null) throw unknownMessage();
  const session = await store.sessions.get(owner, message.session_id);
  const active = session?.active_execution_id ?? null;
  if (active !== null && (await isInTurn(store, owner, message, active))) {
    if (await turnHolds(store, owner, active))
      throw sessionLocked('The turn of this message is still running.', active);
    // Its answer has just been stored.
    message = await store.messages.get(owner, id);
    if (message === null) throw unknownMessage();
  }
  if (!isExpected(expected, message.revision)) {
    throw new ChorusError('conflict', `The message has changed: its revision is now ${message.revision}.`, {
      details: [{ path: 'headers.if-match', message: `must be "${message.revision}"` }],
      extra: { revision: message.revision },
    });
  }
  return message;
}

/**
 * Returns whether the session's running turn writes or answers a message. A repeated turn answers a message of an
 * earlier execution.
 */
async function isInTurn(
  store: ConversationStore,
  owner: Owner,
  message: MessageRecord,
  executionId: string,
): Promise<boolean> {
  if (!isTerminal(message.status) || message.execution_id === executionId) return true;
  const turn = await store.executions.get(owner, executionId);
  if (turn !== null) return isOfTurn(turn, message.id);
  // Its record is not stored yet.
  if (message.role === 'assistant') return false;
  const roles: MessageRecord['role'][] = ['user', 'tool'];
  const asked = await store.messages.last(owner, message.session_id, Number.MAX_SAFE_INTEGER, roles);
  return asked?.id === message.id;
}
