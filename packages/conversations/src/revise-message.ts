import { ChorusError, forkTitle, type Owner, titleFrom } from '@chorus/contract';
import type { Database, MessageRecord, MessageRevisionRecord } from '@chorus/database';
import { unknownMessage } from './refusals.ts';

export type MessageStore = Pick<Database, 'sessions' | 'messages' | 'messageRevisions'>;

/** Concurrent changes retry from the new state; in each round, one of them succeeds. */
export const MAX_TRIES = 100;

/** A change of a message without its revision number. */
export interface Step extends Pick<MessageRevisionRecord, 'action' | 'content' | 'citations' | 'restores' | 'undo_to'> {
  user_id: string | null;
  execution_id: string | null;
}

/**
 * Applies a change in two idempotent steps: its row takes the next number, then the message is updated. If a process
 * dies in between, the next change applies the row first. Returns null if another change came first.
 */
export async function take(
  store: MessageStore,
  owner: Owner,
  message: MessageRecord,
  step: Step,
  also: Partial<
    Pick<
      MessageRecord,
      | 'status'
      | 'usage'
      | 'model'
      | 'duration_ms'
      | 'rating'
      | 'execution_id'
      | 'reasoning'
      | 'tool_calls'
      | 'steps'
      | 'sources'
      | 'warnings'
      | 'question_revision'
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
  // Another change has applied our row, and perhaps its own after it; or the message was deleted with its history.
  const now = await store.messages.get(owner, message.id);
  if (now !== null) return now.revision >= revision ? { ...now, ...changeOf(row), ...also } : null;
  await store.messageRevisions.removeByMessage(owner, message.id);
  throw unknownMessage();
}

/** Returns the fields of the message that a row sets. */
function changeOf({ revision, restores, content, citations }: MessageRevisionRecord) {
  return { revision, effective_revision: restores ?? revision, content, citations };
}

/**
 * Empties an answer whose turn runs again as `executionId` and keeps the old text in its history.
 * Returns null if the message is gone.
 */
export async function restartMessage(
  store: MessageStore,
  owner: Owner,
  id: string,
  { executionId, questionRevision }: { executionId: string; questionRevision: number },
): Promise<MessageRecord | null> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const message = await store.messages.get(owner, id);
    if (message === null || message.role !== 'assistant') return null;
    if (message.superseded_by !== null)
      throw new ChorusError('job_not_retryable', 'The answer of this turn was replaced by another.');
    const step = { action: 'restarted', content: '', restores: null, undo_to: null, user_id: null } as const;
    const unsaid = { citations: [], reasoning: [], tool_calls: [], steps: [], sources: [], warnings: [] };
    const unknown = { usage: null, model: null, duration_ms: null, rating: null, voice: null };
    const restart = { ...unsaid, ...unknown, status: 'queued', execution_id: executionId } as const;
    const answers = { question_revision: questionRevision };
    const restarted = await take(
      store,
      owner,
      message,
      { ...step, citations: [], execution_id: executionId },
      { ...restart, ...answers },
    );
    if (restarted !== null) return restarted;
  }
  throw changingTooQuickly();
}

/** Restores an earlier text of a message, as another revision. Does nothing if its history lacks the text. */
export async function restoreText(store: MessageStore, owner: Owner, id: string, revision: number): Promise<void> {
  const wanted = await store.messageRevisions.get(owner, id, revision);
  if (wanted === null) return;
  const { content, citations } = wanted;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const message = await store.messages.get(owner, id);
    if (message === null || message.effective_revision === revision) return;
    const step = { action: 'restored', restores: revision, undo_to: null, execution_id: null } as const;
    if (await take(store, owner, message, { ...step, content, citations, user_id: owner.user_id })) return;
  }
  throw changingTooQuickly();
}

/**
 * Truncates a spoken answer to what was heard; the history keeps all of it, and an undo restores it.
 * Does not change an edited answer. Its turn must have ended.
 *
 * @param heard The beginning of the answer.
 */
export async function truncateAnswer(store: MessageStore, owner: Owner, id: string, heard: string): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const message = await store.messages.get(owner, id);
    if (message === null || message.content === heard) return;
    // It may already be truncated elsewhere.
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

/** Returns the titles that a session or its fork may have derived from the first revision of its first message. */
export async function derivedTitles(
  store: Pick<MessageStore, 'messageRevisions'>,
  owner: Owner,
  message: MessageRecord,
): Promise<string[]> {
  const first = await store.messageRevisions.get(owner, message.id, 1);
  const title = titleFrom(first?.content ?? message.content);
  return title === null ? [] : [title, forkTitle(title)];
}

/** Returns the current content of a message as a row of its history. */
export function rowOf(message: MessageRecord): MessageRevisionRecord {
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

export function changingTooQuickly(): ChorusError {
  return new ChorusError('conflict', 'Too many concurrent changes to this message. Try again.', { retryAfterS: 1 });
}
