import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChorusError, type Owner, scopeKey } from '@chorus/contract';
import { MediaError, makeView } from '@chorus/media';
import { type Outbound, RequestFailure } from '@chorus/outbound';

/** Images that messages name by URL. */
export interface WebImages {
  /**
   * Checks a URL that a provider will open. Names that only the provider can resolve pass.
   * @throws {ChorusError} url_not_allowed
   */
  check(url: string, signal: AbortSignal): Promise<void>;
  /**
   * Downloads an image and scales it down.
   * @throws {ChorusError} url_not_allowed, download_failed, payload_too_large, invalid_request
   */
  fetch(url: string, owner: Owner, signal: AbortSignal): Promise<Uint8Array>;
}

const MAX_BYTES = 20_000_000;
const FETCH_MS = 30_000;

export function createWebImages(
  outbound: Pick<Outbound, 'checkHost' | 'download'>,
  { maxPixels }: { maxPixels?: number } = {},
): WebImages {
  return {
    async check(url, signal) {
      try {
        await outbound.checkHost(url, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof RequestFailure)) throw error;
      }
    },
    async fetch(url, owner, signal) {
      const folder = await mkdtemp(join(tmpdir(), 'chorus-image-'));
      try {
        const path = join(folder, 'image');
        await outbound.download(url, path, { maxBytes: MAX_BYTES, timeoutMs: FETCH_MS, signal, accept: 'image/*' });
        return await makeView(path, { owner: scopeKey(owner), maxPixels });
      } catch (error) {
        if (!(error instanceof MediaError)) throw error;
        throw new ChorusError('invalid_request', 'The URL does not lead to an image that can be read.', {
          cause: error,
        });
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}
