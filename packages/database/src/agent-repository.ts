import { type Connection, type mongo, Schema } from 'mongoose';
import type { AgentRecord } from './account-records.ts';
import type { AgentRepository } from './account-repositories.ts';
import { listNewest } from './list-newest.ts';
import { fromStore } from './store-errors.ts';
import { inScope, ownerOf, type StoredOwner, storedOwner } from './stored-fields.ts';

export interface StoredAgent extends StoredOwner, Omit<AgentRecord, 'id' | 'owner'> {
  _id: string;
}

export function defineAgentModel(connection: Connection) {
  const schema = new Schema<StoredAgent>(
    {
      _id: { type: String, required: true },
      scope_key: { type: String, required: true },
      user_id: { type: String, required: true },
      name: { type: String, required: true },
      instructions: { type: String, default: null },
      model: { type: String, default: null },
      temperature: { type: Number, default: null },
      knowledge_tags: [String],
      voice: { type: String, default: null },
      fallbacks: [String],
      created_at: { type: Date, required: true },
      updated_at: { type: Date, required: true },
    },
    { versionKey: false, collection: 'agents' },
  );
  schema.index({ scope_key: 1, _id: -1 });
  return connection.model('Agent', schema);
}

export function createAgentRepository(collection: mongo.Collection<StoredAgent>): AgentRepository {
  return {
    insert: async ({ id, owner, ...agent }) => {
      await fromStore(collection.insertOne({ _id: id, ...storedOwner(owner), ...agent }));
    },
    get: async (owner, id) => agentOf(await fromStore(collection.findOne(inScope(owner, id)))),
    count: (owner, limit) =>
      fromStore(collection.countDocuments({ scope_key: storedOwner(owner).scope_key }, { limit })),
    list: (owner, query) =>
      listNewest(collection, 'agent', query, { scope_key: storedOwner(owner).scope_key }, agentOf),
    patch: async (owner, id, fields) => {
      const change = { $set: { ...fields, updated_at: new Date() } };
      const changed = collection.findOneAndUpdate(inScope(owner, id), change, { returnDocument: 'after' });
      return agentOf(await fromStore(changed));
    },
    remove: async (owner, id) => (await fromStore(collection.deleteOne(inScope(owner, id)))).deletedCount > 0,
  };
}

function agentOf<S extends StoredAgent | null>(stored: S): S extends null ? null : AgentRecord;
function agentOf(stored: StoredAgent | null): AgentRecord | null {
  if (stored === null) return null;
  const { _id, scope_key, user_id, ...agent } = stored;
  return { id: _id, owner: ownerOf({ scope_key, user_id }), ...agent };
}
