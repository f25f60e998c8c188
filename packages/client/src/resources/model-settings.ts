import type { CallOptions } from '../client-options.ts';
import type { BodyOf } from '../operations.ts';
import type { Transport } from '../transport.ts';

export function createModelSettings(transport: Transport) {
  return {
    /** Returns the default models and fallbacks, and where each is set. */
    get: (options?: CallOptions) => transport.request('GET /model-settings', {}, options),
    /** Changes them for every process. Throws `conflict` for a setting that the environment sets. */
    update: (body: BodyOf<'PATCH /model-settings'>, options?: CallOptions) =>
      transport.request('PATCH /model-settings', { body }, options),
  };
}
