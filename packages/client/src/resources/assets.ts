import type { CallOptions } from '../client-options.ts';
import type { QueryOf } from '../operations.ts';
import { iterateItems } from '../pages.ts';
import type { Transport } from '../transport.ts';
import { type UploadOptions, upload } from '../upload.ts';

export function createAssets(transport: Transport) {
  const path = (id: string) => ({ path: { asset_id: id } });
  return {
    /**
     * Stores a file and returns its asset. The name of a `File` is kept. Throws `payload_too_large`
     * or `storage_full`.
     */
    upload: (file: Blob, options?: UploadOptions) => upload(transport, 'POST /assets', { file }, options),
    /** Returns an asset, with fresh URLs. */
    get: (id: string, options?: CallOptions) => transport.request('GET /assets/{asset_id}', path(id), options),
    /** Returns one page of assets, newest first. */
    list: (query?: QueryOf<'GET /assets'>, options?: CallOptions) =>
      transport.request('GET /assets', { query }, options),
    /** Iterates over all assets of the scope, newest first. */
    all: (query?: QueryOf<'GET /assets'>, options?: CallOptions) =>
      iterateItems(transport, 'GET /assets', { query }, options),
    /** Deletes an asset and its bytes. */
    delete: (id: string, options?: CallOptions) => transport.request('DELETE /assets/{asset_id}', path(id), options),
    /** Returns the response with the bytes of an asset, to be read as a stream. */
    content: (id: string, options?: CallOptions): Promise<Response> =>
      transport.send('GET /assets/{asset_id}/content', path(id), options, async (response) => {
        // The transport stops watching the signal once headers arrive, but it must also end the body.
        const body = options?.signal && response.body?.pipeThrough(new TransformStream(), { signal: options.signal });
        return body ? new Response(body, response) : response;
      }),
  };
}
