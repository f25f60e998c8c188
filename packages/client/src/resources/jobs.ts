import type { CallOptions } from '../client-options.ts';
import { cancelJob, type WatchOptions, waitForEnd, watchJob } from '../execution-frames.ts';
import type { BodyOf, QueryOf, Without } from '../operations.ts';
import { iterateItems } from '../pages.ts';
import type { Transport } from '../transport.ts';

export function createJobs(transport: Transport) {
  const get = (id: string, options?: CallOptions) =>
    transport.request('GET /jobs/{job_id}', { path: { job_id: id } }, options);
  return {
    /** Returns an execution as it is now. */
    get,
    /** Returns one page of executions, newest first. */
    list: (query?: QueryOf<'GET /jobs'>, options?: CallOptions) => transport.request('GET /jobs', { query }, options),
    /** Iterates over all executions, newest first. */
    all: (query?: QueryOf<'GET /jobs'>, options?: CallOptions) =>
      iterateItems(transport, 'GET /jobs', { query }, options),
    /**
     * Follows an execution from its first frame, or behind `after`. Resumes after a lost
     * connection.
     */
    watch: (id: string, options?: WatchOptions) => watchJob(transport, id, options),
    /** Waits until an execution ends or needs decisions, and returns it, in any status. */
    wait: async (id: string, options: CallOptions = {}) => waitForEnd(transport, await get(id, options), options),
    /**
     * Cancels an execution. A queued one ends at once; a running one is `cancelling` until its
     * worker stops.
     */
    cancel: (id: string, options?: CallOptions) => cancelJob(transport, id, options),
    /**
     * Approves or denies a tool call of an execution with status `requires_action`. It continues once
     * all calls are decided.
     */
    decide: (id: string, body: BodyOf<'POST /jobs/{job_id}/actions'>, options?: CallOptions) =>
      transport.request('POST /jobs/{job_id}/actions', { path: { job_id: id }, body }, options),
    /**
     * Deletes an execution that has ended, with output and events; with `assets` also the files it
     * made. Throws `job_running` before.
     */
    delete: (id: string, { assets = false }: { assets?: boolean } = {}, options?: CallOptions) => {
      const query = assets ? { assets: 'true' as const } : {};
      return transport.request('DELETE /jobs/{job_id}', { path: { job_id: id }, query }, options);
    },
    /**
     * Runs a failed or cancelled execution again, as a new one, which is returned at once. Throws
     * `job_not_retryable`.
     */
    retry: (id: string, body: Without<BodyOf<'POST /jobs/{job_id}/retry'>, 'stream'> = {}, options: CallOptions = {}) =>
      transport.request(
        'POST /jobs/{job_id}/retry',
        { path: { job_id: id }, body },
        { ...options, headers: { Prefer: 'respond-async', ...options.headers } },
      ),
  };
}
