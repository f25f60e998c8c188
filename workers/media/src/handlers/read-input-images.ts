import type { AssetStore } from '@chorus/assets';
import { ChorusError } from '@chorus/contract';
import type { AssetRecord } from '@chorus/database';
import { VIEW_TYPE } from '@chorus/media';
import type { InputImage } from '@chorus/providers';
import type { MediaJob } from './media-parts.ts';

/** Images of one call are held in memory and mostly sent in one request. */
const MAX_BYTES = 64_000_000;

/**
 * Reads images of the scope as model input. Embedded models get re-encoded copies, so that untrusted files are
 * decoded only in a child process.
 *
 * @throws {ChorusError} `invalid_request` for deleted, invalid, or too large images; `store_unavailable`
 */
export async function readInputImages(
  assets: Pick<AssetStore, 'get' | 'read' | 'view'>,
  { owner, input: { model }, signal }: Pick<MediaJob, 'owner' | 'input' | 'signal'>,
  ids: string[],
): Promise<InputImage[]> {
  const given: InputImage[] = [];
  let left = MAX_BYTES;
  for (const id of ids) {
    const record = await assets.get(owner, id);
    if (record === null) throw new ChorusError('invalid_request', `The image ${id} has been deleted`);
    if (record.kind !== 'image')
      throw new ChorusError('invalid_request', `${id} is not an image, but ${record.mime_type}`);
    left -= record.size_bytes;
    if (left < 0) throw new ChorusError('invalid_request', `The images are larger than ${MAX_BYTES} bytes together`);
    if (model.startsWith('embedded/')) given.push({ bytes: await viewOf(assets, record), mediaType: VIEW_TYPE });
    else given.push({ bytes: await bytesOf(assets, record, signal), mediaType: record.mime_type });
  }
  return given;
}

async function viewOf(assets: Pick<AssetStore, 'view'>, record: AssetRecord): Promise<Uint8Array> {
  const view = await assets.view(record);
  if (view === null) throw new ChorusError('invalid_request', `The image ${record.id} cannot be decoded`);
  return view;
}

async function bytesOf(
  assets: Pick<AssetStore, 'read'>,
  record: AssetRecord,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = await (await assets.read(record)).toArray({ signal });
  return Buffer.concat(chunks);
}
