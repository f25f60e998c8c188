import type { Assets } from '@chorus/assets';
import { ChorusError, type Owner } from '@chorus/contract';
import type { GivenImage } from '@chorus/providers';

/** All images that one call is given go through memory, and mostly into one request. */
const MAX_BYTES = 64_000_000;

/**
 * Images of the scope as they are given to a model.
 * @throws {ChorusError} `invalid_request` where one is gone, is none, or they are too large; `store_unavailable`
 */
export async function givenImages(
  assets: Pick<Assets, 'get' | 'read'>,
  owner: Owner,
  ids: string[],
  signal: AbortSignal,
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
    const chunks: Uint8Array[] = await (await assets.read(record)).toArray({ signal });
    given.push({ bytes: Buffer.concat(chunks), mediaType: record.mime_type });
  }
  return given;
}
