import {
  AUDIO_FORMATS,
  ChorusError,
  type FileReference,
  fileReferences,
  MAX_REFERENCED_BYTES,
  MAX_REFERENCED_FILES,
  type OpenAiMessage,
} from '@chorus/contract';
import type { AssetRecord } from '@chorus/database';
import { isDecodable } from '@chorus/media';
import type { JobServices, Requester } from './define-plan.ts';

/**
 * Checks that the stored files that messages name are in the scope, of the right type, and not too large together.
 * @throws {ChorusError} `invalid_request` with a detail for each; `store_unavailable`
 */
export async function checkMessageFiles(
  { database }: Pick<JobServices, 'database'>,
  { owner, path }: Pick<Requester, 'owner' | 'path'>,
  messages: readonly OpenAiMessage[],
): Promise<void> {
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
