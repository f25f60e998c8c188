import { isId, type ListQuery, type MessageRating, type MessageVoice, type Owner, type Page } from '@chorus/contract';
import type { Db, Filter } from 'mongodb';
import { ofMaker, requireString, storedOwner } from '../collection.ts';
import { joinUpdates } from '../joined-writes.ts';
import { numberCursor, readAll, readIds, readOne, readPage, takeWithin } from '../reading.ts';
import { fromStore, orConflict } from '../store-errors.ts';
import { newMark } from '../texts/marks.ts';
import { noteRemoval } from '../texts/removals.ts';
import {
  listQuoting,
  type MessageRecord,
  messageCollection,
  messageOf,
  type QuotingText,
  type StoredMessage,
  storedMessage,
} from './schema.ts';

/** The end of an assistant's message. Without `citations`, the stored ones stay. */
type CompletedMessage = Pick<MessageRecord, 'content' | 'status' | 'usage'> &
  Partial<
    Pick<
      MessageRecord,
      'citations' | 'reasoning' | 'tool_calls' | 'steps' | 'sources' | 'warnings' | 'model' | 'duration_ms'
    >
  > & {
    /** A message that another execution has restarted meanwhile is not changed. */
    execution_id: string;
  };

/** The result of an edit, an undo or a restart. */
type MessageChange = Pick<MessageRecord, 'revision' | 'effective_revision' | 'content'> &
  Partial<
    Pick<
      MessageRecord,
      | 'citations'
      | 'reasoning'
      | 'tool_calls'
      | 'steps'
      | 'sources'
      | 'warnings'
      | 'status'
      | 'usage'
      | 'voice'
      | 'model'
      | 'duration_ms'
      | 'rating'
      | 'execution_id'
      | 'question_revision'
    >
  >;

/** An answer to a question with several answers. */
export interface AnswerVersion {
  id: string;
  question_id: string;
  question_revision?: number;
  position: number;
}

const MAX_VERSIONS = 10_000;

/** The store sends this many messages at once, or a single large one. */
const CONTEXT_BATCH = 200;
const MANY_DEADLINE_MS = 60_000;

/** Maximum length of the result of an agent's call in later turns. */
export const SHOWN_RESULT_CHARS = 8_000;

/** Messages belong to the user who created their session. */
export function createMessageRepository(db: Db) {
  const messages = messageCollection.in(db);
  const end = joinUpdates(messages);

  /** Deletes messages and returns their ids. Zero: no limit. */
  const removeAll = async (filter: Filter<StoredMessage>, limit = 0): Promise<string[]> => {
    const ids = await readIds(messages.find(filter).limit(limit), MANY_DEADLINE_MS);
    if (ids.length === 0) return [];
    await noteRemoval(db, 'messages', ids);
    await fromStore(messages.deleteMany({ _id: { $in: ids } }), MANY_DEADLINE_MS);
    return ids;
  };

  return {
    /** Stores the messages of a turn in one step. Throws `conflict` if a position is taken. */
    insert: async (owner: Owner, added: MessageRecord[]) => {
      const stored = added.map((message) => storedMessage({ ...message, owner }));
      await orConflict(messages.insertMany(stored), 'This position in the session is taken.');
    },
    get: async (owner: Owner, id: string) => readOne(messages.findOne(ofMaker(owner, id)), messageOf),
    /** Writes the assistant's answer. Can be repeated. */
    complete: async (owner: Owner, id: string, { execution_id, ...ending }: CompletedMessage) => {
      const { reasoning = [], tool_calls = [], steps = [], sources = [], warnings = [], ...fields } = ending;
      const lists = Object.entries({ reasoning, tool_calls, steps, sources, warnings });
      const written = {
        $set: {
          ...fields,
          ...Object.fromEntries(lists.filter(([, list]) => list.length > 0)),
          ...newMark(storedOwner(owner)),
          updated_at: new Date(),
        },
      };
      const mine = { ...ofMaker(owner, id), execution_id: requireString(execution_id) };
      await end(mine, written);
    },
    setVoice: async (owner: Owner, id: string, voice: MessageVoice) => {
      await fromStore(messages.updateOne(ofMaker(owner, id), { $set: { voice } }));
    },
    /** Rates an answer; null removes the rating. Returns null if there is no such answer. */
    rate: async (owner: Owner, id: string, rating: MessageRating) => {
      const answer = { ...ofMaker(owner, id), role: 'assistant' as const };
      return readOne(messages.findOneAndUpdate(answer, { $set: { rating } }, { returnDocument: 'after' }), messageOf);
    },
    /** Changes a message if it still has the revision `fromRevision`. Returns null otherwise. */
    revise: async (owner: Owner, id: string, fromRevision: number, change: MessageChange) => {
      const filter = { ...ofMaker(owner, id), revision: fromRevision };
      const update = { $set: { ...change, ...newMark(storedOwner(owner)), updated_at: new Date() } };
      return readOne(messages.findOneAndUpdate(filter, update, { returnDocument: 'after' }), messageOf);
    },
    /** Returns false if there is no such message. Three round trips. */
    remove: async (owner: Owner, id: string) => (await removeAll(ofMaker(owner, id))).length > 0,
    /** Maps those of the given messages that are part of a conversation to their sessions. */
    sessionsOf: async (owner: Owner, ids: string[]) => {
      const wanted = { _id: { $in: ids.map(requireString) }, ...storedOwner(owner), superseded_by: null };
      const found = messages.find(wanted).project<{ _id: string; session_id: string }>({ session_id: 1 });
      return new Map((await fromStore(found.toArray())).map(({ _id, session_id }) => [_id, session_id]));
    },
    /** Returns the last message of the conversation before a position, or the last with one of these roles. */
    last: async (owner: Owner, sessionId: string, beforePosition: number, roles?: MessageRecord['role'][]) => {
      const earlier = { ...inConversation(owner, sessionId), position: { $lt: beforePosition } };
      const asked = roles === undefined ? earlier : { ...earlier, role: { $in: roles } };
      return readOne(messages.findOne(asked, { sort: { position: -1 } }), messageOf);
    },
    /** Returns the next message of the conversation after a position. */
    next: async (owner: Owner, sessionId: string, afterPosition: number) => {
      const later = { ...inConversation(owner, sessionId), position: { $gt: afterPosition } };
      return readOne(messages.findOne(later, { sort: { position: 1 } }), messageOf);
    },
    /** Counts the messages of the conversation up to a position. */
    count: async (owner: Owner, sessionId: string, upToPosition: number) => {
      const counted = { ...inConversation(owner, sessionId), position: { $lte: upToPosition } };
      return fromStore(messages.countDocuments(counted), MANY_DEADLINE_MS);
    },
    /** Marks an answer as one of several to its question. */
    addVersion: async (owner: Owner, id: string, questionId: string) => {
      await fromStore(messages.updateOne(ofMaker(owner, id), { $set: { question_id: requireString(questionId) } }));
    },
    /** Returns the answers to questions with several answers, oldest first. */
    versions: async (owner: Owner, questionIds: string[]): Promise<AnswerVersion[]> => {
      const wanted = { question_id: { $in: questionIds.map(requireString) }, ...storedOwner(owner) };
      const fields = { question_id: 1, question_revision: 1, position: 1 };
      const found = messages
        .find(wanted)
        .limit(MAX_VERSIONS)
        .project<Omit<AnswerVersion, 'id'> & { _id: string }>(fields);
      const versions = await readAll(found, ({ _id, ...version }) => ({ id: _id, ...version }));
      return versions.sort((one, other) => one.position - other.position);
    },
    /**
     * Removes the messages between two positions from the conversation. Returns how many. Can be repeated.
     *
     * @param by The execution that regenerates, or the version that is restored.
     * @param branch Their first answer, if a version is restored.
     */
    supersede: async (
      owner: Owner,
      sessionId: string,
      { after, before }: { after: number; before: number },
      by: string,
      branch?: string,
    ) => {
      const replaced = { ...inConversation(owner, sessionId), position: { $gt: after, $lt: before } };
      const written = { $set: { superseded_by: requireString(by), ...(branch !== undefined && { branch }) } };
      return (await fromStore(messages.updateMany(replaced, written), MANY_DEADLINE_MS)).modifiedCount;
    },
    /** Undoes `supersede`. */
    restoreSuperseded: async (owner: Owner, sessionId: string, executionId: string) => {
      const replaced = { ...ofSession(owner, sessionId), superseded_by: requireString(executionId) };
      const written = { $set: { superseded_by: null } };
      return (await fromStore(messages.updateMany(replaced, written), MANY_DEADLINE_MS)).modifiedCount;
    },
    /** Restores the messages that left the conversation together with this one. Returns how many. */
    restoreBranch: async (owner: Owner, { session_id, superseded_by, branch }: MessageRecord) => {
      const left = branch === undefined ? { superseded_by, branch: { $exists: false } } : { branch };
      const written = { $set: { superseded_by: null }, $unset: { branch: '' as const } };
      const restored = messages.updateMany({ ...ofSession(owner, session_id), ...left }, written);
      return (await fromStore(restored, MANY_DEADLINE_MS)).modifiedCount;
    },
    /** By position, oldest first by default. */
    listBySession: async (
      owner: Owner,
      sessionId: string,
      query: ListQuery & { include_superseded?: boolean; order?: 'asc' | 'desc' },
    ): Promise<Page<MessageRecord>> => {
      const { limit, after, include_superseded = false, order = 'asc' } = query;
      const beyond = order === 'asc' ? '$gt' : '$lt';
      const from = after === undefined ? {} : { position: { [beyond]: numberCursor(after) } };
      const filter = include_superseded ? ofSession(owner, sessionId) : inConversation(owner, sessionId);
      const found = messages
        .find({ ...filter, ...from })
        .sort({ position: order === 'asc' ? 1 : -1 })
        .limit(limit + 1)
        .batchSize(limit + 1);
      return readPage(found, limit, messageOf, (last) => String(last.position));
    },
    /**
     * Returns the newest non-empty messages before a position, oldest first: as many as fit, but `atLeast`. `dropped`:
     * there are more. Long messages take more round trips.
     */
    context: async (
      owner: Owner,
      sessionId: string,
      beforePosition: number,
      { maxMessages, maxBytes, atLeast }: { maxMessages: number; maxBytes: number; atLeast?: number },
    ) => {
      const found = messages
        .find({ ...inConversation(owner, sessionId), position: { $lt: beforePosition }, ...SAYS_SOMETHING })
        .sort({ position: -1 })
        .limit(maxMessages + 1)
        .batchSize(CONTEXT_BATCH);
      const { taken, more } = await takeWithin(found, maxMessages, messageBytes, maxBytes, atLeast);
      return { messages: taken.map(messageOf).reverse(), dropped: more };
    },
    /** Deletes the messages of one execution's turn. Returns how many. Three round trips. */
    removeTurn: async (owner: Owner, sessionId: string, executionId: string) => {
      const turn = { ...ofSession(owner, sessionId), execution_id: requireString(executionId) };
      return (await removeAll(turn)).length;
    },
    /** Deletes up to `limit` messages of a session and returns their ids. Three round trips. */
    removeSome: async (owner: Owner, sessionId: string, limit: number) => removeAll(ofSession(owner, sessionId), limit),
    /** Returns which of these attachments are still used in the session. */
    attached: async (owner: Owner, sessionId: string, ids: readonly string[]) => {
      const found = messages.find({ ...ofSession(owner, sessionId), attachments: { $in: ids.map(requireString) } });
      const lists = await readAll(
        found.project<Pick<StoredMessage, 'attachments'>>({ attachments: 1 }),
        (one) => one.attachments,
      );
      return new Set(lists.flat());
    },
    /** Returns the files that are attached in a session, with the time of the first message that does. */
    attachmentsOf: async (owner: Owner, sessionId: string): Promise<Map<string, Date>> => {
      const found = messages.find({ ...ofSession(owner, sessionId), 'attachments.0': { $exists: true } });
      const fields = { attachments: 1, created_at: 1 } as const;
      const pairs = await readAll(
        found.sort({ position: -1 }).project<Pick<StoredMessage, keyof typeof fields>>(fields),
        ({ attachments, created_at }) => attachments.map((id) => [id, created_at] as const),
      );
      return new Map(pairs.flat().filter(([id]) => isId('asset', id)));
    },
    /** Returns whether a message of another session, of any owner, attaches a file. */
    isAttachedElsewhere: async (assetId: string, sessionId: string): Promise<boolean> => {
      const elsewhere = { attachments: requireString(assetId), session_id: { $ne: requireString(sessionId) } };
      return (await fromStore(messages.findOne(elsewhere, { projection: { _id: 1 } }))) !== null;
    },
    /** Returns messages of all owners that quote a knowledge entry. */
    listQuoting: async (entryId: string, limit: number) => listQuoting(messages, entryId, limit),
    /** Replaces the text of a message if it has not changed since it was read. */
    replaceQuotes: async (read: QuotingText, replaced: Omit<QuotingText, 'id'>) => {
      const stored = await fromStore(messages.findOne({ _id: requireString(read.id) }));
      if (stored === null || stored.content !== read.content) return;
      const change = { $set: { ...replaced, ...newMark(stored) } };
      await fromStore(messages.updateOne({ _id: read.id, revision: stored.revision, content: read.content }, change));
    },
  };
}

/** Excludes answers that failed or ended before any text. */
const SAYS_SOMETHING: Filter<StoredMessage> = {
  $or: [
    { content: { $ne: '' } },
    { role: 'tool' },
    { 'tool_calls.0': { $exists: true } },
    { 'steps.0': { $exists: true } },
  ],
};

function messageBytes({ content, tool_calls = [], steps = [] }: StoredMessage): number {
  const calls = steps.flatMap((step) => step.tool_calls);
  const texts = [
    content,
    ...tool_calls.map((call) => call.function.arguments),
    ...calls.flatMap(({ arguments: args, result }) => [args, shownResult(result)]),
  ];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** Later turns show only the beginning of a result: see `turnContext`. */
const shownResult = (result: string | null) => (result ?? '').slice(0, SHOWN_RESULT_CHARS);

function ofSession(owner: Owner, sessionId: string): Filter<StoredMessage> {
  return { session_id: requireString(sessionId), ...storedOwner(owner) };
}

/** Matches messages of a session that have not been replaced by a regeneration. */
function inConversation(owner: Owner, sessionId: string): Filter<StoredMessage> {
  return { ...ofSession(owner, sessionId), superseded_by: null };
}
