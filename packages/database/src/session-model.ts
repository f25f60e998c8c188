import { type Connection, Schema } from 'mongoose';
import type { SessionRecord } from './records.ts';
import { ownerOf, pairsOf, type StoredOwner, type StoredPairs } from './stored-fields.ts';
import type { StoredMark } from './unindexed-mark.ts';

export interface StoredSession extends StoredOwner, StoredMark {
  _id: string;
  title: string | null;
  pinned: boolean;
  starred: boolean;
  agent_id: string | null;
  message_count: number;
  next_position: number;
  active_execution_id: string | null;
  /** Absent while the session is free: a sparse index of what sweeps look at. */
  locked_at?: Date;
  metadata: StoredPairs;
  created_at: Date;
  updated_at: Date;
}

export function defineSessionModel(connection: Connection) {
  const schema = new Schema<StoredSession>(
    {
      _id: { type: String, required: true },
      scope_key: { type: String, required: true },
      user_id: { type: String, required: true },
      title: String,
      pinned: { type: Boolean, required: true },
      starred: { type: Boolean, required: true },
      agent_id: String,
      message_count: { type: Number, required: true },
      next_position: { type: Number, required: true },
      active_execution_id: String,
      locked_at: Date,
      metadata: [Schema.Types.Mixed],
      created_at: { type: Date, required: true },
      updated_at: { type: Date, required: true },
      unindexed: String,
    },
    { versionKey: false, collection: 'sessions' },
  );
  schema.index({ scope_key: 1, user_id: 1, pinned: -1, updated_at: -1, _id: -1 });
  schema.index({ locked_at: 1 }, { sparse: true });
  schema.index({ unindexed: 1 }, { sparse: true });
  return connection.model('Session', schema);
}

export function sessionOf(stored: StoredSession): SessionRecord {
  return {
    id: stored._id,
    owner: ownerOf(stored),
    title: stored.title,
    pinned: stored.pinned,
    starred: stored.starred,
    agent_id: stored.agent_id,
    message_count: stored.message_count,
    next_position: stored.next_position,
    active_execution_id: stored.active_execution_id,
    locked_at: stored.locked_at ?? null,
    metadata: pairsOf(stored.metadata),
    created_at: stored.created_at,
    updated_at: stored.updated_at,
  };
}
