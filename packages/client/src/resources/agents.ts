import type { CallOptions } from '../client-options.ts';
import type { BodyOf, QueryOf } from '../operations.ts';
import { everyItem } from '../pages.ts';
import type { Transport } from '../transport.ts';

export function createAgents(transport: Transport) {
  const path = (id: string) => ({ path: { agent_id: id } });
  return {
    create: (body: BodyOf<'POST /agents'>, options?: CallOptions) =>
      transport.request('POST /agents', { body }, options),
    get: (id: string, options?: CallOptions) => transport.request('GET /agents/{agent_id}', path(id), options),
    list: (query?: QueryOf<'GET /agents'>, options?: CallOptions) =>
      transport.request('GET /agents', { query }, options),
    all: (query?: QueryOf<'GET /agents'>, options?: CallOptions) =>
      everyItem(transport, 'GET /agents', { query }, options),
    update: (id: string, body: BodyOf<'PATCH /agents/{agent_id}'>, options?: CallOptions) =>
      transport.request('PATCH /agents/{agent_id}', { ...path(id), body }, options),
    delete: (id: string, options?: CallOptions) => transport.request('DELETE /agents/{agent_id}', path(id), options),
  };
}
