import type { CallOptions } from '../client-options.ts';
import type { BodyOf, QueryOf } from '../operations.ts';
import { iterateItems } from '../pages.ts';
import type { Transport } from '../transport.ts';

export function createToolApis(transport: Transport) {
  const path = (id: string) => ({ path: { api_id: id } });
  return {
    /** Registers an API by its OpenAPI document. Agents can then use its operations. */
    create: (body: BodyOf<'POST /tool-apis'>, options?: CallOptions) =>
      transport.request('POST /tool-apis', { body }, options),
    /** Returns an API, without its credentials. */
    get: (id: string, options?: CallOptions) => transport.request('GET /tool-apis/{api_id}', path(id), options),
    /** Returns one page of APIs. */
    list: (query?: QueryOf<'GET /tool-apis'>, options?: CallOptions) =>
      transport.request('GET /tool-apis', { query }, options),
    /** Iterates over all APIs of the scope. */
    all: (query?: QueryOf<'GET /tool-apis'>, options?: CallOptions) =>
      iterateItems(transport, 'GET /tool-apis', { query }, options),
    /** Changes the fields that `body` contains. */
    update: (id: string, body: BodyOf<'PATCH /tool-apis/{api_id}'>, options?: CallOptions) =>
      transport.request('PATCH /tool-apis/{api_id}', { ...path(id), body }, options),
    /** Deletes an API and its credentials. */
    delete: (id: string, options?: CallOptions) => transport.request('DELETE /tool-apis/{api_id}', path(id), options),
  };
}
