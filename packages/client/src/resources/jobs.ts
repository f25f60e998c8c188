import type { CallOptions } from '../client-options.ts';
import type { BodyOf, QueryOf, Without } from '../operations.ts';
import { everyItem } from '../pages.ts';
import type { Transport } from '../transport.ts';
import { cancelJob, type WatchOptions, waitForEnd, watchJob } from './executions.ts';

export function createJobs(transport: Transport) {
  const get = (id: string, options?: CallOptions) =>
    transport.request('GET /jobs/{job_id}', { path: { job_id: id } }, options);
  return {
    get,
    list: (query?: QueryOf<'GET /jobs'>, options?: CallOptions) => transport.request('GET /jobs', { query }, options),
    /** All of them, newest first. */
    all: (query?: QueryOf<'GET /jobs'>, options?: CallOptions) => everyItem(transport, 'GET /jobs', { query }, options),
    /** Follows an execution from its beginning, or from behind a frame, and through lost connections. */
    watch: (id: string, options?: WatchOptions) => watchJob(transport, id, options),
    /** The execution when it has ended. */
    wait: async (id: string, options: CallOptions = {}) => waitForEnd(transport, await get(id, options), options),
    /** A queued one ends at once; a running one is `cancelling` until its worker confirms. */
    cancel: (id: string, options?: CallOptions) => cancelJob(transport, id, options),
    /** Deletes one that has ended, with its output and events; with `assets` also what it made. 409 `job_running` until then: cancel it first. */
    delete: (id: string, { assets = false }: { assets?: boolean } = {}, options?: CallOptions) => {
      const query = assets ? { assets: 'true' as const } : {};
      return transport.request('DELETE /jobs/{job_id}', { path: { job_id: id }, query }, options);
    },
    /** Runs what failed or was cancelled again, as a new execution, which is answered at once. */
    retry: (id: string, body: Without<BodyOf<'POST /jobs/{job_id}/retry'>, 'stream'> = {}, options: CallOptions = {}) =>
      transport.request(
        'POST /jobs/{job_id}/retry',
        { path: { job_id: id }, body },
        { ...options, headers: { Prefer: 'respond-async' } },
      ),
  };
}
