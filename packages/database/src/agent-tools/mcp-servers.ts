import { type LeastApproval, type ListQuery, type Owner, scopeKey } from '@chorus/contract';
import type { SecretBox } from '@chorus/secrets';
import type { Db } from 'mongodb';
import { defineCollection, fromStored, inScope, type Stored, toStored } from '../collection.ts';
import { listNewest, readOne } from '../reading.ts';
import { sealContext } from '../secrets/sealed-fields.ts';
import { fromStore } from '../store-errors.ts';

/** A registered MCP server, without the values of its headers. */
export interface McpServerRecord {
  id: string;
  owner: Owner;
  name: string;
  url: string;
  header_names: string[];
  /** Null: all. */
  allowed_tools: string[] | null;
  enabled: boolean;
  min_approval: LeastApproval;
  created_at: Date;
  updated_at: Date;
}

/** The headers are one JSON object, encrypted. Absent without headers. Older servers have no least approval. */
type StoredServer = Stored<McpServerRecord, 'min_approval'> & {
  min_approval?: LeastApproval;
  headers?: string;
};

export const mcpServerCollection = defineCollection<StoredServer>('mcp_servers', {
  erasedWith: 'maker',
  indexes: [{ key: { scope_key: 1, _id: -1 } }],
});

/** MCP servers belong to a scope: members of a workspace share them. */
export function createMcpServerRepository(db: Db, box: () => SecretBox) {
  const servers = mcpServerCollection.in(db);
  const serverOf = ({ headers: _, ...stored }: StoredServer): McpServerRecord =>
    fromStored({ ...stored, min_approval: stored.min_approval ?? 'never' });
  const contextOf = (id: string) => sealContext('mcp_servers', id, 'headers');
  const sealed = (id: string, headers: Record<string, string>) =>
    Object.keys(headers).length === 0 ? null : box().seal(contextOf(id), JSON.stringify(headers));

  return {
    insert: async (server: McpServerRecord, headers: Record<string, string>) => {
      const secret = sealed(server.id, headers);
      await fromStore(servers.insertOne({ ...toStored(server), ...(secret !== null && { headers: secret }) }));
    },
    get: async (owner: Owner, id: string) => readOne(servers.findOne(inScope(owner, id)), serverOf),
    /** Returns a server with its decrypted headers. */
    open: async (owner: Owner, id: string) =>
      readOne(servers.findOne(inScope(owner, id)), (stored) => {
        const { headers } = stored;
        const text = headers === undefined ? '{}' : box().open(contextOf(stored._id), headers);
        return { server: serverOf(stored), headers: JSON.parse(text) as Record<string, string> };
      }),
    /** Returns the servers with one of these addresses, up to a limit. */
    withUrl: async (owner: Owner, urls: readonly string[], limit: number) => {
      const found = servers.find({ scope_key: scopeKey(owner), url: { $in: [...urls] } }, { limit });
      return (await fromStore(found.toArray())).map(serverOf);
    },
    /** Counts up to a limit. */
    count: async (owner: Owner, limit: number) =>
      fromStore(servers.countDocuments({ scope_key: scopeKey(owner) }, { limit })),
    /** Lists servers, newest first. */
    list: async (owner: Owner, query: ListQuery) =>
      listNewest(servers, 'mcpServer', query, { scope_key: scopeKey(owner) }, serverOf),
    /** @param headers Replace all stored headers. Absent: the headers stay. */
    patch: async (
      owner: Owner,
      id: string,
      fields: Partial<
        Pick<McpServerRecord, 'name' | 'url' | 'header_names' | 'allowed_tools' | 'enabled' | 'min_approval'>
      >,
      headers?: Record<string, string>,
    ) => {
      const secret = headers && sealed(id, headers);
      const $set = { ...fields, ...(secret && { headers: secret }), updated_at: new Date() };
      const change = secret === null ? { $set, $unset: { headers: '' as const } } : { $set };
      return readOne(servers.findOneAndUpdate(inScope(owner, id), change, { returnDocument: 'after' }), serverOf);
    },
    remove: async (owner: Owner, id: string) =>
      (await fromStore(servers.deleteOne(inScope(owner, id)))).deletedCount > 0,
  };
}
