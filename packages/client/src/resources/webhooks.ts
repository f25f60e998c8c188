import type { CallOptions } from '../client-options.ts';
import type { QueryOf } from '../operations.ts';
import { everyItem } from '../pages.ts';
import type { Transport } from '../transport.ts';

const ALL = 'GET /webhook-deliveries';

export function createWebhooks(transport: Transport) {
  const path = (id: string) => ({ path: { delivery_id: id } });
  return {
    deliveries: (query?: QueryOf<typeof ALL>, options?: CallOptions) => everyItem(transport, ALL, { query }, options),
    delivery: (id: string, options?: CallOptions) =>
      transport.request('GET /webhook-deliveries/{delivery_id}', path(id), options),
    redeliver: (id: string, options?: CallOptions) =>
      transport.request('POST /webhook-deliveries/{delivery_id}/redeliver', path(id), options),
    /** What receivers check signatures with. */
    secret: (options?: CallOptions) => transport.request('GET /webhook-secret', {}, options),
    rotateSecret: (options?: CallOptions) => transport.request('POST /webhook-secret/rotate', {}, options),
  };
}
