import type { CallOptions } from '../client-options.ts';
import type { BodyOf, QueryOf } from '../operations.ts';
import { everyItem } from '../pages.ts';
import type { Transport } from '../transport.ts';
import { type ChangeOptions, ifMatch } from './if-match.ts';

const REVISIONS = 'GET /archive/units/{unit_id}/revisions';

export function createArchive(transport: Transport) {
  const path = (id: string) => ({ path: { unit_id: id } });
  return {
    /** Keeps a text of your own (`content`), or what a session, a message or an entry says now (`from`). */
    create: (body: BodyOf<'POST /archive/units'>, options?: CallOptions) =>
      transport.request('POST /archive/units', { body }, options),
    get: (id: string, options?: CallOptions) => transport.request('GET /archive/units/{unit_id}', path(id), options),
    list: (query?: QueryOf<'GET /archive/units'>, options?: CallOptions) =>
      transport.request('GET /archive/units', { query }, options),
    all: (query?: QueryOf<'GET /archive/units'>, options?: CallOptions) =>
      everyItem(transport, 'GET /archive/units', { query }, options),
    update: (id: string, body: BodyOf<'PATCH /archive/units/{unit_id}'>, options?: ChangeOptions) =>
      transport.request('PATCH /archive/units/{unit_id}', { ...path(id), body }, ifMatch(options)),
    delete: (id: string, options?: ChangeOptions) =>
      transport.request('DELETE /archive/units/{unit_id}', path(id), ifMatch(options)),
    /** All revisions, oldest first. */
    revisions: (id: string, options?: CallOptions) => everyItem(transport, REVISIONS, path(id), options),
  };
}
