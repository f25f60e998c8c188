import type { CallOptions } from '../client-options.ts';
import { idleMsOf } from '../execution-frames.ts';
import { type FollowOptions, follow, type Step } from '../follow.ts';
import type { ArchiveUnit } from '../generated/api-types.ts';
import type { BodyOf, QueryOf } from '../operations.ts';
import { everyItem } from '../pages.ts';
import { parseJson } from '../read-json.ts';
import { readLines } from '../read-lines.ts';
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
    /** All units as they are now, oldest first, each once; a lost connection is gone on from. */
    export(query: QueryOf<'GET /archive/export'> = {}, { signal, onConnection }: FollowOptions = {}) {
      let { after } = query;
      const open = () => transport.open('GET /archive/export', { query: { ...query, after } }, { signal });
      const read = async function* (response: Response): AsyncGenerator<Step<ArchiveUnit>, boolean> {
        for await (const line of readLines(response, idleMsOf(transport), signal)) {
          const value = parseJson<ArchiveUnit>(line);
          after = value.id;
          yield { value };
        }
        return true;
      };
      return follow({ type: 'application/x-ndjson', open, read, limits: transport.options, signal, onConnection });
    },
  };
}
