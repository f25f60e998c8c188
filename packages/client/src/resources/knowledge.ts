import type { CallOptions } from '../client-options.ts';
import { executing } from '../executing.ts';
import type { BodyOf, FormOf, QueryOf, Without } from '../operations.ts';
import { everyItem } from '../pages.ts';
import type { Transport } from '../transport.ts';
import { type UploadOptions, upload } from '../upload.ts';
import { type WatchOptions, watchJob } from './executions.ts';
import { type ChangeOptions, ifMatch } from './if-match.ts';

const CHUNKS = 'GET /console/knowledge/{entry_id}/chunks';
const ENTRY = 'GET /console/knowledge/{entry_id}';
const CHANGE = 'PATCH /console/knowledge/{entry_id}';

const UPLOAD = 'POST /console/knowledge/upload';

type UploadFields = Without<FormOf<typeof UPLOAD>, 'file' | 'stream'>;

export function createKnowledge(transport: Transport) {
  const path = (id: string) => ({ path: { entry_id: id } });
  return {
    /** Makes a text, or what lies at an address, searchable. Answers at once with the entry. */
    create: (body: Without<BodyOf<'POST /console/knowledge'>, 'stream'>, options?: CallOptions) =>
      transport.request('POST /console/knowledge', { body }, options),
    /** Makes up to 50 files searchable. Answers at once with their entries, in order; `failed` names those that were not taken. */
    upload: async (files: Blob | readonly Blob[], fields: UploadFields = {}, options?: UploadOptions) => {
      const answer = await upload(transport, UPLOAD, { file: [files].flat(), ...fields }, options);
      // A single file is answered with its entry.
      return answer.object === 'list' ? answer : { object: 'list' as const, data: [answer], failed: [] };
    },
    get: (id: string, options?: CallOptions) => transport.request(ENTRY, path(id), options),
    list: (query?: QueryOf<'GET /console/knowledge'>, options?: CallOptions) =>
      transport.request('GET /console/knowledge', { query }, options),
    all: (query?: QueryOf<'GET /console/knowledge'>, options?: CallOptions) =>
      everyItem(transport, 'GET /console/knowledge', { query }, options),
    /** What answers are looked for in, in the order of the document. */
    chunks: (id: string, options?: CallOptions) => everyItem(transport, CHUNKS, path(id), options),
    /** Follows what is done to an entry: `progress.stage` is `fetching`, `parsing`, `chunking`, `embedding`, `indexing`. */
    watch: (executionId: string, options?: WatchOptions) => watchJob(transport, executionId, options),
    update: (id: string, body: BodyOf<typeof CHANGE>, options?: ChangeOptions) =>
      transport.request(CHANGE, { ...path(id), body }, ifMatch(options)),
    delete: (id: string, options?: ChangeOptions) =>
      transport.request('DELETE /console/knowledge/{entry_id}', path(id), ifMatch(options)),
    /** Goes on where it failed. */
    retry: (id: string, options?: CallOptions) =>
      transport.request('POST /console/knowledge/{entry_id}/retry', { ...path(id), body: {} }, options),
    /** Answers a question from the documents alone, with citations. */
    ask: executing(transport, 'POST /console/knowledge/ask'),
    /** The passages that fit best. */
    search: executing(transport, 'POST /console/knowledge/search'),
  };
}
