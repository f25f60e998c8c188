import { ChorusError, type MessageVersion, newId, type Owner } from '@chorus/contract';
import type { Database, MessageRecord } from '@chorus/database';
import type { ConversationStore } from './conversation-store.ts';
import { lockSession } from './lock-session.ts';
import { unknownMessage } from './refusals.ts';
import { restoreText } from './revise-message.ts';

/** Returns the position of each answer among its versions, by message id. Only reads the store if there are any. */
export async function versionsOf(
  store: Pick<Database, 'messages'>,
  owner: Owner,
  messages: readonly MessageRecord[],
): Promise<Map<string, MessageVersion>> {
  const questions = new Set(messages.flatMap(({ question_id }) => question_id ?? []));
  const versions = new Map<string, MessageVersion>();
  if (questions.size === 0) return versions;
  const found = await store.messages.versions(owner, [...questions]);
  for (const [question_id, answers] of Map.groupBy(found, (answer) => answer.question_id)) {
    if (answers.length < 2) continue;
    const idAt = (index: number) => answers[index]?.id ?? null;
    for (const [index, { id }] of answers.entries()) {
      const neighbors = { previous_id: idAt(index - 1), next_id: idAt(index + 1) };
      versions.set(id, { question_id, number: index + 1, count: answers.length, ...neighbors });
    }
  }
  return versions;
}

/**
 * Makes an earlier version of an answer current again, with the messages that followed it and the text of the
 * question that it answers. The current version and the messages after it leave the conversation. Can be repeated.
 *
 * @throws {ChorusError} `not_found`; `session_locked` while a turn runs; `invalid_request` for a message that is not
 * a version of an answer in the conversation
 */
export async function restoreVersion(store: ConversationStore, owner: Owner, id: string): Promise<MessageRecord> {
  const named = await messageOf(store, owner, id);
  if (named.role !== 'assistant') throw refused('Only answers have versions.');
  if (named.superseded_by === null) return named;
  const { session_id } = named;
  const lock = newId('job');
  await lockSession(store, owner, session_id, lock, 0);
  try {
    const version = await messageOf(store, owner, id);
    if (version.superseded_by === null) return version;
    const question = await questionOf(store, owner, version);
    const current = await store.messages.next(owner, session_id, question.position);
    if (current !== null) {
      const after = { after: question.position, before: Number.MAX_SAFE_INTEGER };
      const replaced = await store.messages.supersede(owner, session_id, after, id, current.id);
      await store.sessions.changeCount(owner, session_id, -replaced);
    }
    const restored = await store.messages.restoreBranch(owner, version);
    await store.sessions.changeCount(owner, session_id, restored);
    const { question_revision: asked = question.effective_revision } = version;
    if (asked !== question.effective_revision) await restoreText(store, owner, question.id, asked);
    return await messageOf(store, owner, id);
  } finally {
    await store.sessions.release(owner, session_id, lock);
  }
}

/** Restores the newest answer to the current text of a question, unless it is current or a turn runs. */
export async function restoreAnswerTo(store: ConversationStore, owner: Owner, question: MessageRecord): Promise<void> {
  const { id, session_id, position, effective_revision } = question;
  if (question.role === 'assistant' || question.superseded_by !== null) return;
  const answers = await store.messages.versions(owner, [id]);
  const answer = answers.findLast(({ question_revision }) => question_revision === effective_revision);
  if (answer === undefined) return;
  const current = await store.messages.next(owner, session_id, position);
  if (current?.question_revision === effective_revision) return;
  try {
    await restoreVersion(store, owner, answer.id);
  } catch (error) {
    // The undo itself is done; `question_revision` shows that the answer belongs to another text.
    if (!(error instanceof ChorusError && error.code === 'session_locked')) throw error;
  }
}

async function messageOf(store: ConversationStore, owner: Owner, id: string): Promise<MessageRecord> {
  const message = await store.messages.get(owner, id);
  if (message === null) throw unknownMessage();
  return message;
}

async function questionOf(store: ConversationStore, owner: Owner, version: MessageRecord): Promise<MessageRecord> {
  if (version.question_id === undefined) throw refused('This answer left the conversation with its question.');
  const question = await store.messages.get(owner, version.question_id);
  if (question === null) throw refused('The question of this answer was deleted.');
  if (question.superseded_by === null) return question;
  throw refused('The question of this answer is no longer part of the conversation. Restore an earlier answer first.');
}

function refused(message: string): ChorusError {
  return new ChorusError('invalid_request', message, {
    details: [{ path: 'path.message_id', message: 'must be a version of an answer to a question of the conversation' }],
  });
}
