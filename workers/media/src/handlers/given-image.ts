import type { AssetStore } from '@chorus/assets';
import { ChorusError } from '@chorus/contract';
import type { AssetRecord } from '@chorus/database';
import { VIEW_TYPE } from '@chorus/media';
import type { GivenImage } from '@chorus/providers';
import type { JobContext } from '@chorus/worker-kit';

/** All images that one call is given go through memory, and mostly into one request. */
const MAX_BYTES = 64_000_000;

/**
 * Images of the scope as they are given to a model. Models that run here get copies of our own making, so untrusted files are decoded in a child alone.
 *
 * @throws {ChorusError} `invalid_request` where one is gone, is none, or they are too large; `store_unavailable`
 */
export async function givenImages(
  assets: Pick<AssetStore, 'get' | 'read' | 'view'>,
  { owner, input: { model }, signal }: Pick<JobContext<'iris.image' | 'iris.video'>, 'owner' | 'input' | 'signal'>,
  ids: string[],
): Promise<GivenImage[]> {
  const given: GivenImage[] = [];
  let left = MAX_BYTES;
  for (const id of ids) {
    const record = await assets.get(owner, id);
    if (record === null) throw new ChorusError('invalid_request', `The image ${id} has been deleted`);
    if (record.kind !== 'image') throw new ChorusError('invalid_request', `${id} is no image, but ${record.mime_type}`);
    left -= record.size_bytes;
    if (left < 0)
      throw new ChorusError('invalid_request', `The given images have more than ${MAX_BYTES} bytes together`);
    if (model.startsWith('embedded/')) given.push({ bytes: await viewOf(assets, record), mediaType: VIEW_TYPE });
    else given.push({ bytes: await bytesOf(assets, record, signal), mediaType: record.mime_type });
  }
  return given;
}

async function viewOf(assets: Pick<AssetStore, 'view'>, record: AssetRecord): Promise<Uint8Array> {
  const view = await assets.view(record);
  if (view === null) throw new ChorusError('invalid_request', `The image ${record.id} can not be decoded`);
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
