import {
  AUDIO_FORMATS,
  ChorusError,
  type FileReference,
  fileReferences,
  imageAddresses,
  MAX_REFERENCED_BYTES,
  MAX_REFERENCED_FILES,
  type OpenAiMessage,
} from '@chorus/contract';
import type { AssetRecord } from '@chorus/database';
import { isDecodable } from '@chorus/media';
import type { JobServices, Requester } from './define-plan.ts';

/** Maximum number of refused URLs to name in an error. */
const MAX_SHOWN = 20;

/**
 * Checks that the stored files that messages name are in the scope, of the right type, and not too large together,
 * and that the URLs of images are allowed.
 * @throws {ChorusError} `invalid_request` with a detail for each; `url_not_allowed`; `store_unavailable`
 */
export async function checkMessageFiles(
  { database, outbound }: Pick<JobServices, 'database' | 'outbound'>,
  { owner, path }: Pick<Requester, 'owner' | 'path'>,
  messages: readonly OpenAiMessage[],
): Promise<void> {
  checkImageAddresses(outbound, messages, path);
  const references = fileReferences(messages);
  if (references.length === 0) return;
  if (references.length > MAX_REFERENCED_FILES)
    throw invalid([{ path: `${path}.messages`, message: `may name at most ${MAX_REFERENCED_FILES} files` }]);
  const found = await Promise.all(
    references.map(({ assetId }) => (assetId === null ? null : database.assets.get(owner, assetId))),
  );
  const details = references.flatMap((reference, index) => {
    const message = problemOf(reference, found[index] ?? null);
    return message === null ? [] : [{ path: `${path}.${reference.path}`, message }];
  });
  if (details.length > 0) throw invalid(details);
  // Images are scaled down.
  const whole = found.filter((_, index) => references[index]?.type !== 'image_url');
  const bytes = whole.reduce((sum, asset) => sum + (asset?.size_bytes ?? 0), 0);
  if (bytes > MAX_REFERENCED_BYTES)
    throw invalid([{ path: `${path}.messages`, message: `may name files of at most ${MAX_REFERENCED_BYTES} bytes` }]);
}

/** Refuses URLs whose text is not allowed. Host names are checked when the job runs. */
function checkImageAddresses(
  outbound: JobServices['outbound'],
  messages: readonly OpenAiMessage[],
  path: string,
): void {
  const details = imageAddresses(messages).flatMap((address) => {
    try {
      outbound.check(address.url);
      return [];
    } catch (error) {
      if (!(error instanceof ChorusError)) throw error;
      return [{ path: `${path}.${address.path}`, message: error.message }];
    }
  });
  const [first] = details;
  if (first !== undefined)
    throw new ChorusError('url_not_allowed', `${first.path}: ${first.message}`, {
      details: details.slice(0, MAX_SHOWN),
    });
}

function problemOf({ type }: FileReference, asset: AssetRecord | null): string | null {
  if (asset === null) return 'is not an asset of this scope';
  const { kind, mime_type } = asset;
  if (type === 'image_url' && !(kind === 'image' && isDecodable(mime_type)))
    return `must be an image, but it is ${mime_type}`;
  if (type === 'input_audio' && AUDIO_FORMATS[mime_type] === undefined)
    return `must be WAV or MP3 audio, but it is ${mime_type}`;
  return null;
}

function invalid(details: { path: string; message: string }[]): ChorusError {
  const [first] = details;
  return new ChorusError('invalid_request', `${first?.path}: ${first?.message}`, { details });
}
