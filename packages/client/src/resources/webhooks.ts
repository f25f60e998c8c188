import type { CallOptions } from '../client-options.ts';
import type { QueryOf } from '../operations.ts';
import { iterateItems } from '../pages.ts';
import type { Transport } from '../transport.ts';

const ALL = 'GET /webhook-deliveries';

export function createWebhooks(transport: Transport) {
  const path = (id: string) => ({ path: { delivery_id: id } });
  return {
    /** Iterates over deliveries, newest first. */
    deliveries: (query?: QueryOf<typeof ALL>, options?: CallOptions) =>
      iterateItems(transport, ALL, { query }, options),
    /** Returns a delivery with its attempts. */
    delivery: (id: string, options?: CallOptions) =>
      transport.request('GET /webhook-deliveries/{delivery_id}', path(id), options),
    /** Sends a delivery again. */
    redeliver: (id: string, options?: CallOptions) =>
      transport.request('POST /webhook-deliveries/{delivery_id}/redeliver', path(id), options),
    /** Returns the secret with which receivers verify signatures. */
    secret: (options?: CallOptions) => transport.request('GET /webhook-secret', {}, options),
    /** Replaces the secret. For a day, both the old and the new one sign. */
    rotateSecret: (options?: CallOptions) => transport.request('POST /webhook-secret/rotate', {}, options),
  };
}
