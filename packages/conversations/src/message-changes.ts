import {
  type AuditContext,
  ChorusError,
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
import { turnHolds } from './lock-session.ts';
import { sessionLocked, unknownMessage } from './refusals.ts';

export type MessageStore = Pick<Database, 'sessions' | 'messages' | 'messageRevisions'>;

/** Expected revision of the message (`If-Match`); null for any. */
export type ExpectedRevision = number | null;

/** Concurrent changes retry from the new state; in each round, one of them succeeds. */
const MAX_TRIES = 100;

/** A change of a message without its revision number. */
interface Step extends Pick<MessageRevisionRecord, 'action' | 'content' | 'citations' | 'restores' | 'undo_to'> {
  user_id: string | null;
  execution_id: string | null;
}

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
  edit: { content: string; expected: ExpectedRevision },
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
 * Undoes the last edit that is still in effect, as another revision.
 *
 * @throws {ChorusError} as `editMessage`; `invalid_request` if there is nothing to undo
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
 * Deletes a message with its history, and the session's title if it was derived from it. The caller's deletion
 * covers
 * its executions.
 *
 * @throws {ChorusError} as `editMessage`
 */
export async function removeMessage(
  store: ConversationStore,
  owner: Owner,
  id: string,
  { expected, actor, audit }: { expected: ExpectedRevision } & AuditContext,
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

/** The title of a session comes from the first content of its first message. */
async function clearTitle(store: MessageStore, owner: Owner, message: MessageRecord): Promise<void> {
  if (message.role !== 'user') return;
  const first = await store.messageRevisions.get(owner, message.id, 1);
  const title = titleFrom(first?.content ?? message.content);
  if (title !== null) await store.sessions.clearTitle(owner, message.session_id, title);
}

/**
 * Empties an answer whose turn runs again as `executionId` and keeps the old text in its history.
 * Returns null if the message is gone.
 */
export async function restartMessage(
  store: MessageStore,
  owner: Owner,
  id: string,
  executionId: string,
): Promise<MessageRecord | null> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const message = await store.messages.get(owner, id);
    if (message === null || message.role !== 'assistant') return null;
    if (message.superseded_by !== null)
      throw new ChorusError('job_not_retryable', 'The answer of this turn was replaced by another.');
    const step = { action: 'restarted', content: '', restores: null, undo_to: null, user_id: null } as const;
    const unsaid = { citations: [], reasoning: [], tool_calls: [], steps: [], sources: [], warnings: [] };
    const restart = { ...unsaid, status: 'queued', usage: null, voice: null, execution_id: executionId } as const;
    const restarted = await take(store, owner, message, { ...step, citations: [], execution_id: executionId }, restart);
    if (restarted !== null) return restarted;
  }
  throw changingTooQuickly();
}

/**
 * Truncates a spoken answer to what was heard; the history keeps all of it, and an undo restores it.
 * Does not change an edited answer. Its turn must have ended.
 *
 * @param heard the beginning of the answer
 */
export async function truncateAnswer(store: MessageStore, owner: Owner, id: string, heard: string): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const message = await store.messages.get(owner, id);
    if (message === null || message.content === heard) return;
    // It may already be truncated at another place.
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
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const message = await changeable(store, owner, id, expected);
    const changed = await take(store, owner, message, await next(message));
    if (changed !== null) return changed;
  }
  throw changingTooQuickly();
}

/**
 * Applies a change in two idempotent steps: its row takes the next number, then the message follows. A process
 * that
 * dies in between leaves a row, which the next change applies first. Returns null if another change was faster.
 */
async function take(
  store: MessageStore,
  owner: Owner,
  message: MessageRecord,
  step: Step,
  also: Partial<
    Pick<
      MessageRecord,
      'status' | 'usage' | 'execution_id' | 'reasoning' | 'tool_calls' | 'steps' | 'sources' | 'warnings'
    >
  > = {},
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
  // Another change has applied our row and perhaps its own; or the message was deleted with its history.
  const now = await store.messages.get(owner, message.id);
  if (now !== null) return now.revision >= revision ? now : null;
  await store.messageRevisions.removeByMessage(owner, message.id);
  throw unknownMessage();
}

/** Returns the fields of the message that a row sets. */
function changeOf({ revision, restores, content, citations }: MessageRevisionRecord) {
  return { revision, effective_revision: restores ?? revision, content, citations };
}

/** Returns the message if it may be changed now. */
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
    if (await turnHolds(store, owner, active))
      throw sessionLocked('The turn of this message is still running.', active);
    // Its answer was just stored.
    message = await store.messages.get(owner, id);
    if (message === null) throw unknownMessage();
  }
  if (expected !== null && expected !== message.revision) {
    throw new ChorusError('conflict', `The message has changed: its revision is now ${message.revision}.`, {
      details: [{ path: 'headers.if-match', message: `must be "${message.revision}"` }],
      extra: { revision: message.revision },
    });
  }
  return message;
}

/**
 * Returns whether the session's running turn writes or answers a message. A repeated turn answers a message of
 * an
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

/** Returns the current content of a message as a row of its history. */
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
    user_id: message.role === 'assistant' ? null : message.owner.user_id,
    execution_id: message.role === 'assistant' ? message.execution_id : null,
    created_at: message.created_at,
  };
}

function changingTooQuickly(): ChorusError {
  return new ChorusError('conflict', 'Too many concurrent changes of this message. Try again.', { retryAfterS: 1 });
}
