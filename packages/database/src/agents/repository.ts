import { AGENT_WORK_DEFAULTS, type AgentWork, type ListQuery, type Owner, scopeKey } from '@chorus/contract';
import type { Db } from 'mongodb';
import { defineCollection, fromStored, inScope, type MadeBy, madeBy, type Stored, toStored } from '../collection.ts';
import { listNewest, readOne } from '../reading.ts';
import { fromStore } from '../store-errors.ts';

export interface AgentRecord extends AgentWork {
  id: string;
  owner: Owner;
  name: string;
  instructions: string | null;
  /** `provider/model` */
  model: string | null;
  temperature: number | null;
  knowledge_tags: string[];
  voice: string | null;
  /** Models to try, in this order, when the previous one fails. */
  fallbacks: string[];
  created_at: Date;
  updated_at: Date;
}

/** Agents of earlier versions have no tools. */
type StoredAgent = Stored<AgentRecord, keyof AgentWork> & Partial<AgentWork>;

export const agentCollection = defineCollection<StoredAgent>('agents', {
  erasedWith: 'maker',
  indexes: [{ key: { scope_key: 1, _id: -1 } }],
});

/** Agents belong to a scope: members of a workspace share them. */
export function createAgentRepository(db: Db) {
  const agents = agentCollection.in(db);
  const agentOf = (stored: StoredAgent): AgentRecord => ({ ...AGENT_WORK_DEFAULTS, ...fromStored(stored) });

  return {
    insert: async (agent: AgentRecord) => {
      await fromStore(agents.insertOne(toStored(agent)));
    },
    get: async (owner: Owner, id: string) => readOne(agents.findOne(inScope(owner, id)), agentOf),
    /** Counts up to a limit. */
    count: async (owner: Owner, limit: number) =>
      fromStore(agents.countDocuments({ scope_key: scopeKey(owner) }, { limit })),
    /** Lists agents, newest first. */
    list: async (owner: Owner, query: ListQuery & MadeBy) =>
      listNewest(agents, 'agent', query, { scope_key: scopeKey(owner), ...madeBy(owner, query) }, agentOf),
    patch: async (
      owner: Owner,
      id: string,
      fields: Partial<Omit<AgentRecord, 'id' | 'owner' | 'created_at' | 'updated_at'>>,
    ) => {
      const change = { $set: { ...fields, updated_at: new Date() } };
      return readOne(agents.findOneAndUpdate(inScope(owner, id), change, { returnDocument: 'after' }), agentOf);
    },
    remove: async (owner: Owner, id: string) =>
      (await fromStore(agents.deleteOne(inScope(owner, id)))).deletedCount > 0,
  };
}
