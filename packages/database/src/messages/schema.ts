import type {
  CitationItem,
  Message,
  MessageRating,
  MessageRevision,
  MessageStep,
  ReasoningBlock,
} from '@chorus/contract';
import type { Collection, Filter } from 'mongodb';
import {
  defineCollection,
  fromStored,
  ownerOf,
  type RecordOf,
  requireString,
  type Stored,
  type StoredOwner,
  toStored,
} from '../collection.ts';
import { readAll } from '../reading.ts';
import { newMark, type StoredMark } from '../texts/marks.ts';

type DerivedField =
  | 'voice'
  | 'reasoning_content'
  | 'steps'
  | 'warnings'
  | 'question_revision'
  | 'version'
  | 'model'
  | 'duration_ms'
  | 'rating';

export interface MessageRecord extends Omit<RecordOf<Message>, DerivedField> {
  reasoning: ReasoningBlock[];
  /** Steps of an agent before its answer. Absent: none. */
  steps?: MessageStep[];
  /** Entries that are quoted by results in its steps. Absent: none. */
  sources?: string[];
  /** Absent: none. */
  warnings?: string[];
  /** Absent unless it was spoken. */
  voice?: Message['voice'];
  /** The model that wrote it, and its run time. Absent: unknown. */
  model?: string | null;
  duration_ms?: number | null;
  /** The user's rating of an answer. Absent: none. */
  rating?: MessageRating;
  /** Position within the session, from 0: unique, with gaps. */
  position: number;
  /** The effective revision of the question that this answers. Absent: unknown. */
  question_revision?: number;
  /** The question of an answer that has other versions. Absent: it has none. */
  question_id?: string;
  /** While a restored version replaces this message: the answer together with which it left the conversation. */
  branch?: string;
}

/** Fields that most messages lack. */
type RareField = 'reasoning' | 'tool_calls' | 'tool_call_id';

export interface StoredMessage
  extends Stored<MessageRecord, 'effective_revision' | RareField>,
    Partial<Pick<MessageRecord, RareField>>,
    StoredMark {
  /** Absent until the first edit. */
  effective_revision?: number;
}

export const messageCollection = defineCollection<StoredMessage>('messages', {
  erasedWith: 'maker',
  indexes: [
    { key: { session_id: 1, position: 1 }, unique: true },
    { key: { unindexed: 1 }, sparse: true },
    { key: { 'citations.entry_id': 1 }, sparse: true },
    { key: { sources: 1 }, sparse: true },
    { key: { question_id: 1 }, sparse: true },
    { key: { attachments: 1 }, partialFilterExpression: { attachments: { $gt: '' } } },
  ],
});

export function storedMessage(record: MessageRecord): StoredMessage {
  const { reasoning, tool_calls, tool_call_id, ...plain } = record;
  const stored = {
    ...toStored(plain),
    ...(reasoning.length > 0 && { reasoning }),
    ...(tool_calls.length > 0 && { tool_calls }),
    ...(tool_call_id !== null && { tool_call_id }),
  };
  // An answer without text yet has nothing to search.
  return { ...stored, ...(record.content === '' ? {} : newMark(stored)) };
}

export function messageOf({ unindexed, ...stored }: StoredMessage): MessageRecord {
  const { effective_revision = stored.revision, superseded_by = null, ...message } = fromStored(stored);
  const rare = { reasoning: [], tool_calls: [], tool_call_id: null };
  return { ...rare, ...message, effective_revision, superseded_by };
}

/** A step of a message's history, written before the message itself changes. */
export interface MessageRevisionRecord extends RecordOf<MessageRevision>, Pick<MessageRevision, 'user_id'> {
  session_id: string;
  /** The revision that an undo of this one restores. Null: there is none. */
  undo_to: number | null;
}

export interface StoredMessageRevision
  extends StoredOwner,
    Omit<MessageRevisionRecord, 'owner' | 'user_id' | 'citations'> {
  /** `<message>:<revision>` */
  _id: string;
  /** The author. `user_id` is the owner. */
  author_id: string | null;
  /** Absent in documents of early versions. */
  citations?: CitationItem[];
}

export const messageRevisionCollection = defineCollection<StoredMessageRevision>('message_revisions', {
  erasedWith: 'maker',
  indexes: [
    { key: { message_id: 1, revision: 1 } },
    { key: { session_id: 1 } },
    { key: { 'citations.entry_id': 1 }, sparse: true },
  ],
});

export function revisionOf(stored: StoredMessageRevision): MessageRevisionRecord {
  const { _id, scope_key, user_id, author_id, citations = [], ...revision } = stored;
  return { ...revision, citations, owner: ownerOf({ scope_key, user_id }), user_id: author_id };
}

/** Fields with content from a model, besides the text of a message. */
const BESIDE = ['reasoning', 'tool_calls', 'steps', 'sources'] as const;

/** A stored text with its citations, and other content from a model. */
export interface QuotingText extends Partial<Pick<MessageRecord, (typeof BESIDE)[number]>> {
  id: string;
  content: string;
  citations: CitationItem[];
}

const QUOTING_DEADLINE_MS = 30_000;

/** Returns messages or revisions that quote a knowledge entry. */
export function listQuoting<Document extends StoredMessage | StoredMessageRevision>(
  collection: Collection<Document>,
  entryId: string,
  limit: number,
): Promise<QuotingText[]> {
  const entry_id = requireString(entryId);
  const cited = { 'citations.entry_id': entry_id, citations: { $elemMatch: { entry_id, quote: { $ne: '' } } } };
  const quoting =
    collection.collectionName === messageCollection.name ? { $or: [cited, { sources: entry_id }] } : cited;
  const found = collection
    .find(quoting as unknown as Filter<Document>)
    .limit(limit)
    .project<
      Pick<StoredMessageRevision, '_id' | 'content' | 'citations'> & Pick<StoredMessage, (typeof BESIDE)[number]>
    >({ content: 1, citations: 1, ...Object.fromEntries(BESIDE.map((name) => [name, 1])) });
  return readAll(
    found,
    ({ _id, citations = [], ...others }) => ({ id: _id, citations, ...others }),
    QUOTING_DEADLINE_MS,
  );
}
