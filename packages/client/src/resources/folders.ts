import type { CallOptions } from '../client-options.ts';
import type { BodyOf, QueryOf } from '../operations.ts';
import { iterateItems } from '../pages.ts';
import type { Transport } from '../transport.ts';

export function createFolders(transport: Transport) {
  const path = (id: string) => ({ path: { folder_id: id } });
  return {
    /** Creates a folder for sessions. `sessions.update` with `folder_id` moves sessions into it. */
    create: (body: BodyOf<'POST /folders'>, options?: CallOptions) =>
      transport.request('POST /folders', { body }, options),
    /** Returns one page of folders, newest first. */
    list: (query?: QueryOf<'GET /folders'>, options?: CallOptions) =>
      transport.request('GET /folders', { query }, options),
    /** Iterates over all folders. */
    all: (query?: QueryOf<'GET /folders'>, options?: CallOptions) =>
      iterateItems(transport, 'GET /folders', { query }, options),
    /** Renames a folder. */
    rename: (id: string, name: string, options?: CallOptions) =>
      transport.request('PATCH /folders/{folder_id}', { ...path(id), body: { name } }, options),
    /** Deletes a folder. Its sessions stay. */
    delete: (id: string, options?: CallOptions) => transport.request('DELETE /folders/{folder_id}', path(id), options),
  };
}
