import { ChorusError, forkTitle, isTerminal, MAX_FORK_MESSAGES, newId, type Owner, titleFrom } from '@chorus/contract';
import type { MessageRecord, SessionRecord } from '@chorus/database';
import { documentsOf } from './attachments.ts';
import type { ConversationStore } from './conversation-store.ts';
import { turnHolds } from './lock-session.ts';
import { sessionLocked, unknownMessage, unknownSession } from './refusals.ts';
import { derivedTitles } from './revise-message.ts';

export interface Fork {
  /** The last message to copy. Default: the last of the conversation. */
  message_id?: string | undefined;
  /** Default: the title of the session, with a note. */
  title?: string | undefined;
  /** Default: the agent of the session. */
  agent_id?: string | undefined;
}

/** Messages per copy. */
const PAGE = 100;

/** Limit of the copied text, steps included. */
const MAX_CHARS = 20_000_000;

/**
 * Copies a conversation up to a message into a new session. Versions, histories, and executions are not copied.
 *
 * @throws {ChorusError} `not_found`; `session_locked` while one of the messages is being written; `invalid_request`
 * for a superseded message; `payload_too_large`
 */
export async function forkSession(
  store: ConversationStore,
  owner: Owner,
  sessionId: string,
  { message_id, title, agent_id }: Fork,
): Promise<SessionRecord> {
  const source = await store.sessions.get(owner, sessionId);
  if (source === null) throw unknownSession();
  // Completes a turn that has just ended.
  if (source.active_execution_id !== null) await turnHolds(store, owner, source.active_execution_id);
  const last = await lastOf(store, owner, sessionId, message_id);
  const count = last === null ? 0 : await store.messages.count(owner, sessionId, last.position);
  if (count > MAX_FORK_MESSAGES)
    throw tooLong(`has ${count.toLocaleString('en')} messages; at most ${MAX_FORK_MESSAGES.toLocaleString('en')}`);
  const lock = newId('job');
  const fork = await store.sessions.create(owner, {
    title: title ?? (await titleOf(store, owner, source)),
    pinned: false,
    starred: false,
    agent_id: agent_id ?? source.agent_id,
    folder_id: source.folder_id,
    metadata: {},
    message_count: count,
    active_execution_id: lock,
  });
  try {
    const isNamed = title === undefined && source.titled_from !== undefined;
    const copies = await copyMessages(store, owner, last, fork.id, isNamed ? source.titled_from : []);
    const { copied, named, attachments } = copies;
    if (named.length > 0) await store.sessions.noteTitledFrom(owner, fork.id, named);
    await store.knowledge.attach(owner, documentsOf(attachments), fork.id);
    await store.sessions.release(owner, fork.id, lock, count - copied);
    return { ...fork, message_count: copied, active_execution_id: null, locked_at: null };
  } catch (error) {
    await discard(store, owner, fork.id, lock).catch(() => undefined);
    throw error;
  }
}

/** Derives a title from the first message's current text, since the fork has no earlier text. */
async function titleOf(store: ConversationStore, owner: Owner, source: SessionRecord): Promise<string | null> {
  if (source.title === null) return null;
  const [first] = (await store.messages.listBySession(owner, source.id, { limit: 1 })).data;
  const isDerived = first !== undefined && (await derivedTitles(store, owner, first)).includes(source.title);
  const title = isDerived ? titleFrom(first.content) : source.title;
  return title === null ? null : forkTitle(title);
}

async function lastOf(
  store: ConversationStore,
  owner: Owner,
  sessionId: string,
  messageId: string | undefined,
): Promise<MessageRecord | null> {
  if (messageId === undefined) return store.messages.last(owner, sessionId, Number.MAX_SAFE_INTEGER);
  const message = await store.messages.get(owner, messageId);
  if (message === null || message.session_id !== sessionId) throw unknownMessage();
  if (message.superseded_by === null) return message;
  throw new ChorusError('invalid_request', 'This message is no longer part of its conversation.', {
    details: [{ path: 'body.message_id', message: `was replaced by ${message.superseded_by}` }],
  });
}

/**
 * Copies the conversation up to a message. Returns the number of messages, their attachments, and the copies of the
 * messages that the title came from.
 */
async function copyMessages(
  store: ConversationStore,
  owner: Owner,
  last: MessageRecord | null,
  forkId: string,
  titledFrom: readonly string[] = [],
): Promise<{ copied: number; named: string[]; attachments: string[] }> {
  const named: string[] = [];
  const attachments: string[] = [];
  if (last === null) return { copied: 0, named, attachments };
  let position = 0;
  let chars = 0;
  let question: MessageRecord | null = null;
  for (let after: string | null | undefined; after !== null; ) {
    const page = await store.messages.listBySession(owner, last.session_id, {
      limit: PAGE,
      ...(after !== undefined && { after }),
    });
    const copies: MessageRecord[] = [];
    for (const message of page.data.filter((one) => one.position <= last.position)) {
      if (!isTerminal(message.status))
        throw sessionLocked('A message to copy is still being written.', message.execution_id);
      chars += message.content.length + JSON.stringify(message.steps ?? []).length;
      if (chars > MAX_CHARS) throw tooLong(`is longer than ${MAX_CHARS.toLocaleString('en')} characters`);
      const copy = copyOf(message, question, { session_id: forkId, position });
      copies.push(copy);
      if (titledFrom.includes(message.id)) named.push(copy.id);
      position += 1;
      attachments.push(...message.attachments);
      if (message.role !== 'assistant') question = message;
    }
    if (position > MAX_FORK_MESSAGES) throw tooLong('has grown');
    if (copies.length > 0) await store.messages.insert(owner, copies);
    after = copies.length < page.data.length ? null : page.next_cursor;
  }
  return { copied: position, named, attachments };
}

/** Matches no revision: the answer belongs to a text that the copied question never had. */
const NO_REVISION = 0;

/** Copies the current state of a message, without its history, versions, rating, and execution. */
function copyOf(
  message: MessageRecord,
  question: MessageRecord | null,
  place: Pick<MessageRecord, 'session_id' | 'position'>,
): MessageRecord {
  const { question_id: _question, question_revision: asked, branch: _branch, rating: _rating, ...copied } = message;
  const isCurrent = asked === question?.effective_revision;
  return {
    ...copied,
    ...place,
    id: newId('message'),
    execution_id: null,
    revision: 1,
    effective_revision: 1,
    ...(asked !== undefined && { question_revision: isCurrent ? 1 : NO_REVISION }),
  };
}

async function discard(store: ConversationStore, owner: Owner, forkId: string, lock: string): Promise<void> {
  while ((await store.messages.removeSome(owner, forkId, PAGE)).length === PAGE);
  await store.knowledge.detach(owner, forkId);
  await store.sessions.removeLocked(owner, forkId, lock);
}

function tooLong(problem: string): ChorusError {
  return new ChorusError(
    'payload_too_large',
    `The conversation up to this message ${problem}. Fork from an earlier one.`,
    {
      details: [{ path: 'body.message_id', message: 'must be an earlier message' }],
    },
  );
}
