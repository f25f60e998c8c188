import type { CallOptions } from '../client-options.ts';
import { idleMsOf } from '../execution-frames.ts';
import { type FollowOptions, follow, type Step } from '../follow.ts';
import type { ArchiveUnit } from '../generated/api-types.ts';
import type { BodyOf, QueryOf } from '../operations.ts';
import { iterateItems } from '../pages.ts';
import { parseJson, readLines } from '../read-response.ts';
import { type ChangeOptions, ifMatch } from '../request-parts.ts';
import type { Transport } from '../transport.ts';

const REVISIONS = 'GET /archive/units/{unit_id}/revisions';

export function createArchive(transport: Transport) {
  const path = (id: string) => ({ path: { unit_id: id } });
  return {
    /** Archives a text (`content`), or a snapshot of a session, message, or entry (`from`). */
    create: (body: BodyOf<'POST /archive/units'>, options?: CallOptions) =>
      transport.request('POST /archive/units', { body }, options),
    /** Returns a unit with its current revision. */
    get: (id: string, options?: CallOptions) => transport.request('GET /archive/units/{unit_id}', path(id), options),
    /** Returns one page of units. With `q`, the best matches come first. */
    list: (query?: QueryOf<'GET /archive/units'>, options?: CallOptions) =>
      transport.request('GET /archive/units', { query }, options),
    /** Iterates over all units. With `q`, the best matches come first. */
    all: (query?: QueryOf<'GET /archive/units'>, options?: CallOptions) =>
      iterateItems(transport, 'GET /archive/units', { query }, options),
    /** Changes a unit and keeps the old revision. Throws `conflict` if `revision` is outdated. */
    update: (id: string, body: BodyOf<'PATCH /archive/units/{unit_id}'>, options?: ChangeOptions) =>
      transport.request('PATCH /archive/units/{unit_id}', { ...path(id), body }, ifMatch(options)),
    /** Deletes a unit with all revisions. */
    delete: (id: string, options?: ChangeOptions) =>
      transport.request('DELETE /archive/units/{unit_id}', path(id), ifMatch(options)),
    /** Iterates over all revisions of a unit, oldest first. */
    revisions: (id: string, options?: CallOptions) => iterateItems(transport, REVISIONS, path(id), options),
    /**
     * connection.
     */
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
