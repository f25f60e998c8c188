import type { CallOptions } from '../client-options.ts';
import type { Provider } from '../generated/api-types.ts';
import type { BodyOf } from '../operations.ts';
import type { Transport } from '../transport.ts';

const CHANGE = 'PATCH /providers/{provider}';
const TEST = 'POST /providers/{provider}/test';

export function createProviders(transport: Transport) {
  const path = (provider: Provider['name']) => ({ path: { provider } });
  return {
    /** Returns every provider with the source of its key, never the key. */
    list: (options?: CallOptions) => transport.request('GET /providers', {}, options),
    /**
     * Stores a provider's key, encrypted. Every process uses it within a second. Throws `conflict`
     * if the environment sets it.
     */
    update: (provider: Provider['name'], body: BodyOf<typeof CHANGE>, options?: CallOptions) =>
      transport.request(CHANGE, { ...path(provider), body }, options),
    /** Removes a provider's stored key. */
    delete: (provider: Provider['name'], options?: CallOptions) =>
      transport.request('DELETE /providers/{provider}', path(provider), options),
    /** Tests the key in use, or a key before it is stored. */
    test: (provider: Provider['name'], body: BodyOf<typeof TEST> = {}, options?: CallOptions) =>
      transport.request(TEST, { ...path(provider), body }, options),
  };
}
