import type { CallOptions } from '../client-options.ts';
import { executingCall } from '../executing.ts';
import { type WatchOptions, watchJob } from '../execution-frames.ts';
import type { BodyOf, FormOf, QueryOf, Without } from '../operations.ts';
import { iterateItems } from '../pages.ts';
import { type ChangeOptions, ifMatch } from '../request-parts.ts';
import type { Transport } from '../transport.ts';
import { type UploadOptions, upload } from '../upload.ts';

const CHUNKS = 'GET /console/knowledge/{entry_id}/chunks';
const ENTRY = 'GET /console/knowledge/{entry_id}';
const CHANGE = 'PATCH /console/knowledge/{entry_id}';

const UPLOAD = 'POST /console/knowledge/upload';

type UploadFields = Without<FormOf<typeof UPLOAD>, 'file' | 'stream'>;

export function createKnowledge(transport: Transport) {
  const path = (id: string) => ({ path: { entry_id: id } });
  return {
    /**
     * Makes a text or a URL searchable. Returns the entry at once; `watch` follows the ingestion.
     */
    create: (body: Without<BodyOf<'POST /console/knowledge'>, 'stream'>, options?: CallOptions) =>
      transport.request('POST /console/knowledge', { body }, options),
    /**
     * Makes up to 50 files searchable. Returns their entries in order; `failed` names the files
     * that were refused.
     */
    upload: async (files: Blob | readonly Blob[], fields: UploadFields = {}, options?: UploadOptions) => {
      const answer = await upload(transport, UPLOAD, { file: [files].flat(), ...fields }, options);
      // The response for a single file is its entry.
      return answer.object === 'list' ? answer : { object: 'list' as const, data: [answer], failed: [] };
    },
    /** Returns an entry. */
    get: (id: string, options?: CallOptions) => transport.request(ENTRY, path(id), options),
    /** Returns one page of entries, newest first. */
    list: (query?: QueryOf<'GET /console/knowledge'>, options?: CallOptions) =>
      transport.request('GET /console/knowledge', { query }, options),
    /** Iterates over all entries, newest first. */
    all: (query?: QueryOf<'GET /console/knowledge'>, options?: CallOptions) =>
      iterateItems(transport, 'GET /console/knowledge', { query }, options),
    /** Iterates over the searchable passages of an entry, in document order. */
    chunks: (id: string, options?: CallOptions) => iterateItems(transport, CHUNKS, path(id), options),
    /**
     * Follows an ingestion by `entry.execution_id`. `progress.stage` is `fetching`, `parsing`,
     * `chunking`, `embedding`, or `indexing`.
     */
    watch: (executionId: string, options?: WatchOptions) => watchJob(transport, executionId, options),
    /**
     * Changes title, tags, metadata, or content of an entry. Throws `conflict` if `revision` is
     * outdated.
     */
    update: (id: string, body: BodyOf<typeof CHANGE>, options?: ChangeOptions) =>
      transport.request(CHANGE, { ...path(id), body }, ifMatch(options)),
    /** Deletes an entry. Quotes of it disappear from answers. */
    delete: (id: string, options?: ChangeOptions) =>
      transport.request('DELETE /console/knowledge/{entry_id}', path(id), ifMatch(options)),
    /** Continues a failed ingestion where it stopped. */
    retry: (id: string, options?: CallOptions) =>
      transport.request('POST /console/knowledge/{entry_id}/retry', { ...path(id), body: {} }, options),
    /** Answers a question from the documents only, with citations. */
    ask: executingCall(transport, 'POST /console/knowledge/ask'),
    /** Returns the best matching passages. */
    search: executingCall(transport, 'POST /console/knowledge/search'),
  };
}
