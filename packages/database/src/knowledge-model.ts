import { type Connection, Schema } from 'mongoose';
import type { KnowledgeRecord } from './knowledge-records.ts';
import { ownerOf, pairsOf, type StoredOwner, type StoredPairs, storedOwner, storedPairs } from './stored-fields.ts';

export interface StoredKnowledge
  extends StoredOwner,
    Omit<KnowledgeRecord, 'id' | 'owner' | 'status' | 'metadata' | 'processing_since'> {
  _id: string;
  status: KnowledgeRecord['status'] | 'deleting';
  metadata: StoredPairs;
  /** Scope and content's hash of one that claims its content: a unique index. */
  claimed_content?: string;
  /** The id again while it is processed, else absent: a sparse index of what sweeps look at. */
  processing?: string;
  processing_since?: Date;
  /** The id again while it is being deleted, else absent: a sparse index. */
  hidden?: string;
}

export function defineKnowledgeModel(connection: Connection) {
  const schema = new Schema<StoredKnowledge>(
    {
      _id: { type: String, required: true },
      scope_key: { type: String, required: true },
      user_id: { type: String, required: true },
      title: { type: String, required: true },
      title_given: Boolean,
      source: Schema.Types.Mixed,
      languages: [String],
      text_name: String,
      former_asset_ids: [String],
      status: { type: String, required: true },
      stage: String,
      error: Schema.Types.Mixed,
      tags: [String],
      metadata: [Schema.Types.Mixed],
      size_bytes: Number,
      sha256: String,
      page_count: Number,
      chunk_count: Number,
      revision: { type: Number, required: true },
      searchable_revision: Number,
      spaces: [String],
      embedding_model: String,
      execution_id: String,
      facts_revision: Number,
      warnings: [String],
      claimed_content: String,
      processing: String,
      processing_since: Date,
      hidden: String,
      created_at: { type: Date, required: true },
      updated_at: { type: Date, required: true },
    },
    { versionKey: false, collection: 'knowledge_entries' },
  );
  schema.index({ scope_key: 1, _id: -1 });
  schema.index({ scope_key: 1, status: 1, _id: -1 });
  schema.index({ scope_key: 1, tags: 1, _id: -1 });
  schema.index({ scope_key: 1, sha256: 1, _id: -1 });
  schema.index({ claimed_content: 1 }, { unique: true, sparse: true });
  schema.index({ processing: 1 }, { sparse: true });
  schema.index({ hidden: 1 }, { sparse: true });
  return connection.model('KnowledgeEntry', schema);
}

export function storedKnowledge(record: KnowledgeRecord): StoredKnowledge {
  const { id, owner, metadata, processing_since, ...fields } = record;
  return {
    _id: id,
    ...storedOwner(owner),
    ...fields,
    metadata: storedPairs(metadata),
    ...(processing_since === null ? {} : { processing: id, processing_since }),
  };
}

export function knowledgeOf<S extends StoredKnowledge | null>(stored: S): S extends null ? null : KnowledgeRecord;
export function knowledgeOf(stored: StoredKnowledge | null): KnowledgeRecord | null {
  if (stored === null) return null;
  const { _id, scope_key, user_id, metadata, processing_since, claimed_content, processing, hidden, ...fields } =
    stored;
  return {
    id: _id,
    owner: ownerOf({ scope_key, user_id }),
    ...fields,
    status: fields.status as KnowledgeRecord['status'], // one that is being deleted is shown to sweeps alone
    metadata: pairsOf(metadata),
    processing_since: processing_since ?? null,
  };
}
