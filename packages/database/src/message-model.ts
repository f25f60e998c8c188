import { type Connection, Schema } from 'mongoose';
import type { MessageRecord } from './records.ts';
import { ownerOf, type StoredOwner, storedOwner } from './stored-fields.ts';
import { newMark, type StoredMark } from './unindexed-mark.ts';

export interface StoredMessage
  extends StoredOwner,
    StoredMark,
    Omit<MessageRecord, 'id' | 'owner' | 'effective_revision'> {
  _id: string;
  /** Absent until the first edit. */
  effective_revision?: number;
}

export function defineMessageModel(connection: Connection) {
  const schema = new Schema<StoredMessage>(
    {
      _id: { type: String, required: true },
      scope_key: { type: String, required: true },
      user_id: { type: String, required: true },
      session_id: { type: String, required: true },
      position: { type: Number, required: true },
      role: { type: String, required: true },
      content: String,
      revision: { type: Number, required: true },
      effective_revision: Number,
      status: { type: String, required: true },
      execution_id: String,
      superseded_by: String,
      citations: [Schema.Types.Mixed],
      attachments: [String],
      voice: Schema.Types.Mixed,
      usage: Schema.Types.Mixed,
      created_at: { type: Date, required: true },
      updated_at: { type: Date, required: true },
      unindexed: String,
    },
    { versionKey: false, collection: 'messages' },
  );
  schema.index({ session_id: 1, position: 1 }, { unique: true });
  schema.index({ unindexed: 1 }, { sparse: true });
  schema.index({ 'citations.entry_id': 1 }, { sparse: true });
  return connection.model('Message', schema);
}

export function storedMessage(record: MessageRecord): StoredMessage {
  const { id, owner, ...plain } = record;
  const stored = storedOwner(owner);
  // An answer that has yet to come has no words to search.
  return { _id: id, ...stored, ...plain, ...(plain.content === '' ? {} : newMark(stored)) };
}

export function messageOf(stored: StoredMessage): MessageRecord {
  const { _id, scope_key, user_id, effective_revision, superseded_by, unindexed, ...plain } = stored;
  return {
    id: _id,
    owner: ownerOf({ scope_key, user_id }),
    ...plain,
    effective_revision: effective_revision ?? plain.revision,
    superseded_by: superseded_by ?? null,
  };
}
