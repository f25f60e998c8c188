import type { CallOptions } from '../client-options.ts';
import type { BodyOf, QueryOf } from '../operations.ts';
import { iterateItems } from '../pages.ts';
import type { Transport } from '../transport.ts';

export function createAgents(transport: Transport) {
  const path = (id: string) => ({ path: { agent_id: id } });
  return {
    /** Creates an agent: instructions, model, and knowledge that chats run with. */
    create: (body: BodyOf<'POST /agents'>, options?: CallOptions) =>
      transport.request('POST /agents', { body }, options),
    /** Returns an agent. */
    get: (id: string, options?: CallOptions) => transport.request('GET /agents/{agent_id}', path(id), options),
    /** Returns one page of agents. */
    list: (query?: QueryOf<'GET /agents'>, options?: CallOptions) =>
      transport.request('GET /agents', { query }, options),
    /** Iterates over all agents of the scope. */
    all: (query?: QueryOf<'GET /agents'>, options?: CallOptions) =>
      iterateItems(transport, 'GET /agents', { query }, options),
    /** Changes the fields of an agent that `body` contains. */
    update: (id: string, body: BodyOf<'PATCH /agents/{agent_id}'>, options?: CallOptions) =>
      transport.request('PATCH /agents/{agent_id}', { ...path(id), body }, options),
    /** Deletes an agent. Sessions that used it keep their messages. */
    delete: (id: string, options?: CallOptions) => transport.request('DELETE /agents/{agent_id}', path(id), options),
  };
}
