import { randomUUID } from 'node:crypto';
import { type LeastApproval, type ListQuery, type Owner, scopeKey } from '@chorus/contract';
import type { SecretBox } from '@chorus/secrets';
import type { Db } from 'mongodb';
import { defineCollection, fromStored, inScope, type Stored, toStored } from '../collection.ts';
import { listNewest, readOne } from '../reading.ts';
import { sealContext } from '../secrets/sealed-fields.ts';
import { fromStore } from '../store-errors.ts';

/** An operation of an API, as shown to users. */
export interface ToolApiOperation {
  name: string;
  method: string;
  path: string;
  description: string;
  effect: 'read' | 'idempotent' | 'write';
}

/** A registered API, without its credentials. */
export interface ToolApiRecord {
  id: string;
  owner: Owner;
  name: string;
  document_url: string | null;
  base_url: string;
  /** The type of its credentials, and the name of their header or query parameter. */
  auth: { type: 'none' | 'bearer' | 'header' | 'query' | 'basic'; name: string | null };
  operations: ToolApiOperation[];
  /** Parts of the document that are not supported. */
  warnings: string[];
  enabled: boolean;
  min_approval: LeastApproval;
  created_at: Date;
  updated_at: Date;
}

/**
 * `compiled`: the operations in the form that tools run, as JSON. `compiled_as` changes with them. `credentials`:
 * encrypted, or absent. Older APIs have no least approval and no `compiled_as`.
 */
type StoredApi = Stored<ToolApiRecord, 'min_approval'> & {
  min_approval?: LeastApproval;
  compiled: string;
  compiled_as?: string;
  credentials?: string;
};

export const toolApiCollection = defineCollection<StoredApi>('tool_apis', {
  erasedWith: 'maker',
  indexes: [{ key: { scope_key: 1, _id: -1 } }],
});

/** Without the operations, which may have megabytes. */
type Shown = Omit<StoredApi, 'compiled'> & { compiled?: string };
const SHOWN = { projection: { compiled: 0 } } as const;

/** APIs belong to a scope: members of a workspace share them. */
export function createToolApiRepository(db: Db, box: () => SecretBox) {
  const apis = toolApiCollection.in(db);
  const apiOf = ({ compiled: _, compiled_as: _1, credentials: _2, ...stored }: Shown): ToolApiRecord =>
    fromStored({ ...stored, min_approval: stored.min_approval ?? 'never' });
  const contextOf = (id: string) => sealContext('tool_apis', id, 'credentials');
  const sealed = (id: string, credentials: string | null) =>
    credentials === null ? null : box().seal(contextOf(id), credentials);

  return {
    insert: async (api: ToolApiRecord, compiled: string, credentials: string | null) => {
      const secret = sealed(api.id, credentials);
      const operations = { compiled, compiled_as: randomUUID() };
      await fromStore(
        apis.insertOne({ ...toStored(api), ...operations, ...(secret !== null && { credentials: secret }) }),
      );
    },
    get: async (owner: Owner, id: string) => readOne(apis.findOne(inScope(owner, id), SHOWN), apiOf),
    /** Returns an API with its decrypted credentials. `revision` identifies its compiled operations. */
    open: async (owner: Owner, id: string) =>
      readOne(apis.findOne(inScope(owner, id), SHOWN), (stored) => {
        const { credentials, compiled_as, updated_at } = stored;
        const secret = credentials === undefined ? null : box().open(contextOf(stored._id), credentials);
        const revision = `${stored._id} ${compiled_as ?? updated_at.toISOString()}`;
        return { api: apiOf(stored), revision, credentials: secret };
      }),
    /** Returns the compiled operations of an API. Null: it was deleted. */
    compiled: async (owner: Owner, id: string) =>
      readOne(apis.findOne(inScope(owner, id), { projection: { compiled: 1 } }), ({ compiled }) => compiled),
    /** Counts up to a limit. */
    count: async (owner: Owner, limit: number) =>
      fromStore(apis.countDocuments({ scope_key: scopeKey(owner) }, { limit })),
    /** Lists APIs, newest first. */
    list: async (owner: Owner, query: ListQuery) =>
      listNewest(apis, 'toolApi', query, { scope_key: scopeKey(owner) }, apiOf, SHOWN),
    /** @param credentials Replace the stored ones. Null: removes them. Absent: they stay. */
    patch: async (
      owner: Owner,
      id: string,
      fields: Partial<Omit<ToolApiRecord, 'id' | 'owner' | 'created_at' | 'updated_at'>> & { compiled?: string },
      credentials?: string | null,
    ) => {
      const secret = credentials === undefined ? undefined : sealed(id, credentials);
      const operations = fields.compiled !== undefined && { compiled_as: randomUUID() };
      const $set = { ...fields, ...operations, ...(secret && { credentials: secret }), updated_at: new Date() };
      const change = secret === null ? { $set, $unset: { credentials: '' as const } } : { $set };
      return readOne(apis.findOneAndUpdate(inScope(owner, id), change, { ...SHOWN, returnDocument: 'after' }), apiOf);
    },
    remove: async (owner: Owner, id: string) => (await fromStore(apis.deleteOne(inScope(owner, id)))).deletedCount > 0,
  };
}
