import type { CallOptions } from '../client-options.ts';
import type { QueryOf } from '../operations.ts';
import { everyItem } from '../pages.ts';
import type { Transport } from '../transport.ts';
import { type ChangeOptions, ifMatch } from './if-match.ts';

export function createMessages(transport: Transport) {
  const path = (id: string) => ({ path: { message_id: id } });
  const OF_SESSION = 'GET /sessions/{session_id}/messages';
  const HISTORY = 'GET /messages/{message_id}/history';
  type Query = QueryOf<typeof OF_SESSION>;
  return {
    get: (id: string, options?: CallOptions) => transport.request('GET /messages/{message_id}', path(id), options),
    list: (sessionId: string, query?: Query, options?: CallOptions) =>
      transport.request(OF_SESSION, { path: { session_id: sessionId }, query }, options),
    /** All messages of a session, the oldest first unless `order` is `desc`. */
    all: (sessionId: string, query?: Query, options?: CallOptions) =>
      everyItem(transport, OF_SESSION, { path: { session_id: sessionId }, query }, options),
    /** Says something else; what it said stays in its history. `chat.send({ regenerate_from })` answers it anew. */
    edit: (id: string, content: string, options?: ChangeOptions) =>
      transport.request('PATCH /messages/{message_id}', { ...path(id), body: { content } }, ifMatch(options)),
    /** All revisions, oldest first. */
    history: (id: string, options?: CallOptions) => everyItem(transport, HISTORY, path(id), options),
    /** Takes the last edit back; 400 where there is none. */
    undo: (id: string, options?: ChangeOptions) =>
      transport.request('POST /messages/{message_id}/undo', path(id), ifMatch(options)),
    delete: (id: string, options?: ChangeOptions) =>
      transport.request('DELETE /messages/{message_id}', path(id), ifMatch(options)),
  };
}
