import type { CallOptions } from '../client-options.ts';
import type { QueryOf } from '../operations.ts';
import { everyItem } from '../pages.ts';
import type { Transport } from '../transport.ts';
import { type UploadOptions, upload } from '../upload.ts';

export function createAssets(transport: Transport) {
  const path = (id: string) => ({ path: { asset_id: id } });
  return {
    /** Stores a file. Its name is that of a `File`. */
    upload: (file: Blob, options?: UploadOptions) => upload(transport, 'POST /assets', { file }, options),
    get: (id: string, options?: CallOptions) => transport.request('GET /assets/{asset_id}', path(id), options),
    list: (query?: QueryOf<'GET /assets'>, options?: CallOptions) =>
      transport.request('GET /assets', { query }, options),
    /** All of the scope, newest first. */
    all: (query?: QueryOf<'GET /assets'>, options?: CallOptions) =>
      everyItem(transport, 'GET /assets', { query }, options),
    delete: (id: string, options?: CallOptions) => transport.request('DELETE /assets/{asset_id}', path(id), options),
    /** The answer with its bytes, which are read as they come. */
    content: (id: string, options?: CallOptions): Promise<Response> =>
      transport.send('GET /assets/{asset_id}/content', path(id), options, async (response) => {
        // The transport leaves answers that are read later to themselves; the signal holds for all of it.
        const body = options?.signal && response.body?.pipeThrough(new TransformStream(), { signal: options.signal });
        return body ? new Response(body, response) : response;
      }),
  };
}
