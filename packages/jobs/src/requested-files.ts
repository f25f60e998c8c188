import { acceptsImages, ChorusError, type MediaSource, type Owner } from '@chorus/contract';
import type { AssetRecord } from '@chorus/database';
import { isDecodable } from '@chorus/media';
import type { JobServices, Requester } from './define-plan.ts';

type Files = Pick<JobServices, 'database'>;

/** Returns the source that a request names: an asset of the scope, or a URL. */
export async function sourceOf(
  services: Files & Pick<JobServices, 'outbound'>,
  { owner, path }: Requester,
  { asset_id, url }: { asset_id?: string | undefined; url?: string | undefined },
): Promise<MediaSource> {
  if (asset_id === undefined) {
    checkAddress(services, url as string, `${path}.url`);
    return { type: 'url', url: url as string };
  }
  await knownAsset(services, owner, asset_id, `${path}.asset_id`);
  return { type: 'asset', asset_id };
}

/**
 * Refuses a URL that is not allowed by its text alone. Its host is checked on connecting.
 * @throws {ChorusError} `url_not_allowed`, naming the field
 */
export function checkAddress({ outbound }: Pick<JobServices, 'outbound'>, url: string, path: string): void {
  try {
    outbound.check(url);
  } catch (error) {
    if (!(error instanceof ChorusError)) throw error;
    throw new ChorusError(error.code, error.message, { details: [{ path, message: error.message }] });
  }
}

export async function checkImage(services: Files, owner: Owner, id: string, path: string): Promise<void> {
  const { kind, mime_type } = await knownAsset(services, owner, id, path);
  if (kind !== 'image') throw invalidField(path, `must be an image, but it is ${mime_type}`);
}

export async function checkSound(services: Files, owner: Owner, id: string, path: string): Promise<AssetRecord> {
  const asset = await knownAsset(services, owner, id, path);
  const { kind, mime_type } = asset;
  // A video container may hold audio only.
  if (kind !== 'audio' && kind !== 'video') throw invalidField(path, `must be audio, but it is ${mime_type}`);
  return asset;
}

/**
 * Checks that a message's attachments are images of the scope, and that the model accepts images.
 * @throws {ChorusError} `invalid_request` with a detail for each; `store_unavailable`
 */
export async function checkAttachments(
  { database, registry }: Pick<JobServices, 'database' | 'registry'>,
  { owner, path }: Requester,
  ids: readonly string[],
  model: string,
): Promise<void> {
  const assets = await Promise.all(ids.map((id) => database.assets.get(owner, id)));
  const details = assets.flatMap((asset, index) => {
    const at = `${path}.attachments.${index}`;
    if (asset === null) return [{ path: at, message: UNKNOWN }];
    if (asset.kind === 'image' && isDecodable(asset.mime_type)) return [];
    return [{ path: at, message: `must be an image, but it is ${asset.mime_type}` }];
  });
  const listed = (await registry.recentWorkers()).flatMap(({ models }) => models).find(({ id }) => id === model);
  if (!acceptsImages(listed)) details.push({ path: `${path}.attachments`, message: `${model} does not accept images` });
  if (details.length > 0) throw invalid(details);
}

const UNKNOWN = 'is not an asset of this scope';

/** @throws {ChorusError} `invalid_request`, naming the field */
export async function knownAsset({ database }: Files, owner: Owner, id: string, path: string): Promise<AssetRecord> {
  const asset = await database.assets.get(owner, id);
  if (asset === null) throw invalidField(path, UNKNOWN);
  return asset;
}

export const invalidField = (path: string, message: string) => invalid([{ path, message }]);

function invalid(details: { path: string; message: string }[]): ChorusError {
  const [first] = details;
  return new ChorusError('invalid_request', `${first?.path}: ${first?.message}`, { details });
}
