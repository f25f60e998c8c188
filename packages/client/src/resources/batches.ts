import type { CallOptions } from '../client-options.ts';
import type { BodyOf, QueryOf } from '../operations.ts';
import { everyItem } from '../pages.ts';
import type { Transport } from '../transport.ts';

const ITEMS = 'GET /batches/{batch_id}/items';

export function createBatches(transport: Transport) {
  const path = (id: string) => ({ path: { batch_id: id } });
  return {
    /** Stores up to 10,000 requests, which then run. */
    create: (body: BodyOf<'POST /batches'>, options?: CallOptions) =>
      transport.request('POST /batches', { body }, options),
    get: (id: string, options?: CallOptions) => transport.request('GET /batches/{batch_id}', path(id), options),
    list: (query?: QueryOf<'GET /batches'>, options?: CallOptions) =>
      transport.request('GET /batches', { query }, options),
    all: (query?: QueryOf<'GET /batches'>, options?: CallOptions) =>
      everyItem(transport, 'GET /batches', { query }, options),
    /** Its items, in their order. */
    items: (id: string, query?: QueryOf<typeof ITEMS>, options?: CallOptions) =>
      everyItem(transport, ITEMS, { ...path(id), query }, options),
    cancel: (id: string, options?: CallOptions) =>
      transport.request('POST /batches/{batch_id}/cancel', path(id), options),
    /** Runs those items again that did not succeed. */
    retry: (id: string, options?: CallOptions) =>
      transport.request('POST /batches/{batch_id}/retry', path(id), options),
  };
}
