import type { CallOptions } from '../client-options.ts';
import type { BodyOf, QueryOf } from '../operations.ts';
import { everyItem } from '../pages.ts';
import type { Transport } from '../transport.ts';

export function createSessions(transport: Transport) {
  const path = (id: string) => ({ path: { session_id: id } });
  return {
    create: (body?: BodyOf<'POST /sessions'>, options?: CallOptions) =>
      transport.request('POST /sessions', { body: body ?? {} }, options),
    get: (id: string, options?: CallOptions) => transport.request('GET /sessions/{session_id}', path(id), options),
    list: (query?: QueryOf<'GET /sessions'>, options?: CallOptions) =>
      transport.request('GET /sessions', { query }, options),
    /** All of them: pinned ones first, then the newest; with `q` the best first. */
    all: (query?: QueryOf<'GET /sessions'>, options?: CallOptions) =>
      everyItem(transport, 'GET /sessions', { query }, options),
    /** Renames, pins or stars it. */
    update: (id: string, body: BodyOf<'PATCH /sessions/{session_id}'>, options?: CallOptions) =>
      transport.request('PATCH /sessions/{session_id}', { ...path(id), body }, options),
    /** Deletes it with its messages; 409 `session_locked` while a turn runs. */
    delete: (id: string, options?: CallOptions) =>
      transport.request('DELETE /sessions/{session_id}', path(id), options),
  };
}
