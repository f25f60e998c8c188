import { ChorusError, maySee, type Owner } from '@chorus/contract';
import { isDecodable } from '@chorus/media';
import type { Services } from '../services.ts';

/**
 * Checks that what goes with a message are images of the scope, and that the model may be shown them.
 *
 * @throws {ChorusError} invalid_request naming each that is not; store_unavailable
 */
export async function checkAttachments(
  { database, registry }: Pick<Services, 'database' | 'registry'>,
  owner: Owner,
  ids: readonly string[],
  model: string,
): Promise<void> {
  const assets = await Promise.all(ids.map((id) => database.assets.get(owner, id)));
  const details = assets.flatMap((asset, at) => {
    const path = `body.attachments.${at}`;
    if (asset === null) return [{ path, message: 'names no asset of this scope' }];
    if (asset.kind === 'image' && isDecodable(asset.mime_type)) return [];
    return [{ path, message: `must name an image; this is ${asset.mime_type}` }];
  });
  const listed = (await registry.recentWorkers()).flatMap(({ models }) => models).find(({ id }) => id === model);
  if (!maySee(listed)) details.push({ path: 'body.attachments', message: `${model} is no model that sees` });
  const [first] = details;
  if (first !== undefined) throw new ChorusError('invalid_request', `${first.path}: ${first.message}`, { details });
}
