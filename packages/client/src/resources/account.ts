import type { CallOptions } from '../client-options.ts';
import type { BodyOf, QueryOf } from '../operations.ts';
import { everyItem } from '../pages.ts';
import type { Transport } from '../transport.ts';

/** Who asks, and the keys that programs ask with. */
export function createAccount(transport: Transport) {
  const key = (id: string) => ({ path: { key_id: id } });
  return {
    me: {
      /** Who I am, and in which scope. */
      get: (options?: CallOptions) => transport.request('GET /me', {}, options),
      /** Ends all other logins. */
      changePassword: (body: BodyOf<'POST /me/password'>, options?: CallOptions) =>
        transport.request('POST /me/password', { body }, options),
    },
    keys: {
      /** The answer is the only one that shows the `secret`. */
      create: (body: BodyOf<'POST /api-keys'>, options?: CallOptions) =>
        transport.request('POST /api-keys', { body }, options),
      list: (query?: QueryOf<'GET /api-keys'>, options?: CallOptions) =>
        transport.request('GET /api-keys', { query }, options),
      all: (query?: QueryOf<'GET /api-keys'>, options?: CallOptions) =>
        everyItem(transport, 'GET /api-keys', { query }, options),
      /** For ever. */
      revoke: (id: string, options?: CallOptions) =>
        transport.request('POST /api-keys/{key_id}/revoke', key(id), options),
      disable: (id: string, options?: CallOptions) =>
        transport.request('POST /api-keys/{key_id}/disable', { ...key(id), body: { disabled: true } }, options),
      enable: (id: string, options?: CallOptions) =>
        transport.request('POST /api-keys/{key_id}/disable', { ...key(id), body: { disabled: false } }, options),
    },
    models: {
      /** Those that can be run now. */
      list: (options?: CallOptions) => transport.request('GET /models', {}, options),
    },
    usage: {
      /** What executions used, by day, model and key. */
      get: (query?: QueryOf<'GET /usage'>, options?: CallOptions) =>
        transport.request('GET /usage', { query }, options),
    },
    audit: {
      list: (query?: QueryOf<'GET /audit'>, options?: CallOptions) =>
        transport.request('GET /audit', { query }, options),
      all: (query?: QueryOf<'GET /audit'>, options?: CallOptions) =>
        everyItem(transport, 'GET /audit', { query }, options),
    },
    users: {
      /** Of the whole platform, for operators. */
      all: (query?: QueryOf<'GET /users'>, options?: CallOptions) =>
        everyItem(transport, 'GET /users', { query }, options),
    },
    queues: {
      /** Lets an operator's browser see the queues: open its `url` there within a minute. */
      ticket: (options?: CallOptions) => transport.request('POST /queues/tickets', {}, options),
    },
  };
}
