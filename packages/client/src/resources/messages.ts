import type { CallOptions } from '../client-options.ts';
import type { BodyOf, QueryOf } from '../operations.ts';
import { iterateItems } from '../pages.ts';
import { type ChangeOptions, ifMatch } from '../request-parts.ts';
import type { Transport } from '../transport.ts';

export function createMessages(transport: Transport) {
  const path = (id: string) => ({ path: { message_id: id } });
  const OF_SESSION = 'GET /sessions/{session_id}/messages';
  const HISTORY = 'GET /messages/{message_id}/history';
  type Query = QueryOf<typeof OF_SESSION>;
  type Rating = BodyOf<'POST /messages/{message_id}/rate'>['rating'];
  return {
    /** Returns a message. */
    get: (id: string, options?: CallOptions) => transport.request('GET /messages/{message_id}', path(id), options),
    /** Returns one page of the messages of a session, oldest first unless `order` is `desc`. */
    list: (sessionId: string, query?: Query, options?: CallOptions) =>
      transport.request(OF_SESSION, { path: { session_id: sessionId }, query }, options),
    /** Iterates over all messages of a session, oldest first unless `order` is `desc`. */
    all: (sessionId: string, query?: Query, options?: CallOptions) =>
      iterateItems(transport, OF_SESSION, { path: { session_id: sessionId }, query }, options),
    /**
     * Replaces the text of a message and keeps the old one in its history. Answer it again with
     * `chat.send({ regenerate_from })`.
     */
    edit: (id: string, content: string, options?: ChangeOptions) =>
      transport.request('PATCH /messages/{message_id}', { ...path(id), body: { content } }, ifMatch(options)),
    /** Iterates over all revisions of a message, oldest first. */
    history: (id: string, options?: CallOptions) => iterateItems(transport, HISTORY, path(id), options),
    /** Undoes the last edit. Throws `invalid_request` if there is none. */
    undo: (id: string, options?: ChangeOptions) =>
      transport.request('POST /messages/{message_id}/undo', path(id), ifMatch(options)),
    /**
     * Makes an earlier version of an answer current again (`version.previous_id`, `version.next_id`), with the
     * messages that followed it. Throws `session_locked` while a turn runs.
     */
    restore: (id: string, options?: CallOptions) =>
      transport.request('POST /messages/{message_id}/restore', path(id), options),
    /** Rates an answer `up` or `down`. Null removes the rating. */
    rate: (id: string, rating: Rating, options?: CallOptions) =>
      transport.request('POST /messages/{message_id}/rate', { ...path(id), body: { rating } }, options),
    /** Deletes a message with its history. */
    delete: (id: string, options?: ChangeOptions) =>
      transport.request('DELETE /messages/{message_id}', path(id), ifMatch(options)),
  };
}
