import type { KnowledgeEntry } from '@chorus/contract';
import {
  defineCollection,
  fromStored,
  pairsOf,
  type RecordOf,
  type Stored,
  storedPairs,
  toStored,
} from '../collection.ts';

/** A knowledge entry. Its text and chunks are in object storage, its vectors in the search index. */
export interface KnowledgeRecord extends Omit<RecordOf<KnowledgeEntry>, 'waiting_for'> {
  /** Whether the caller set the title. Otherwise the document's title replaces it. */
  title_given: boolean;
  /** ISO 639-2 codes, most likely first; empty: the defaults. */
  languages: string[];
  /** Name of the newest text in the entry's folder of object storage; null: its source is not text. */
  text_name: string | null;
  /** Files of earlier revisions, deleted once the newest one is searchable. */
  former_asset_ids: string[];
  /** The vector spaces that contain `searchable_revision`. */
  spaces: string[];
  /** Increases with each change of title or tags, so that an indexer notices changes. */
  facts_revision: number;
  /** When processing of the newest revision started; null: it is not processing. */
  processing_since: Date | null;
}

export interface StoredKnowledge extends Stored<KnowledgeRecord, 'status' | 'processing_since' | 'session_ids'> {
  status: KnowledgeRecord['status'] | 'deleting';
  /** Scope and hash of content that no other entry may claim. */
  claimed_content?: string;
  /** The id, while it is processing. */
  processing?: string;
  processing_since?: Date;
  /** The id, while it is being deleted. */
  hidden?: string;
  /** Only set for documents for conversations. */
  session_ids?: string[];
  /** Time since which no session has used it, for documents for conversations. */
  unused_since?: Date;
}

export const knowledgeCollection = defineCollection<StoredKnowledge>('knowledge_entries', {
  erasedWith: 'maker',
  indexes: [
    { key: { scope_key: 1, _id: -1 } },
    { key: { scope_key: 1, status: 1, _id: -1 } },
    { key: { scope_key: 1, tags: 1, _id: -1 } },
    { key: { scope_key: 1, sha256: 1, _id: -1 } },
    { key: { claimed_content: 1 }, unique: true, sparse: true },
    { key: { processing: 1 }, sparse: true },
    { key: { hidden: 1 }, sparse: true },
    { key: { session_ids: 1 }, sparse: true },
    { key: { unused_since: 1 }, sparse: true },
  ],
});

export function storedKnowledge(given: KnowledgeRecord): StoredKnowledge {
  const { metadata, processing_since, session_ids, ...record } = given;
  return {
    ...toStored(record),
    metadata: storedPairs(metadata),
    ...(session_ids !== null && { session_ids }),
    ...(session_ids?.length === 0 && { unused_since: record.created_at }),
    ...(processing_since === null ? {} : { processing: record.id, processing_since }),
  };
}

export function knowledgeOf(stored: StoredKnowledge): KnowledgeRecord {
  const { metadata, claimed_content, processing, hidden, unused_since, session_ids = null, ...entry } = stored;
  return {
    ...fromStored(entry),
    status: stored.status as KnowledgeRecord['status'], // Only sweeps read entries that are being deleted.
    metadata: pairsOf(metadata),
    processing_since: stored.processing_since ?? null,
    session_ids,
  };
}
