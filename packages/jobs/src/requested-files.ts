import {
  acceptsImages,
  ChorusError,
  isId,
  MAX_SESSION_DOCUMENTS,
  type MediaSource,
  type Owner,
} from '@chorus/contract';
import { documentsOf } from '@chorus/conversations';
import type { AssetRecord, Database } from '@chorus/database';
import { isDecodable } from '@chorus/media';
import type { JobServices, Requester } from './define-plan.ts';

type Files = Pick<JobServices, 'database'>;

/** Maximum number of models to list in an error. */
const MAX_NAMED = 5;

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
 * Refuses a URL whose text is not allowed. Its host is checked when connecting.
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
  // A video container may contain only audio.
  if (kind !== 'audio' && kind !== 'video') throw invalidField(path, `must be audio, but it is ${mime_type}`);
  return asset;
}

/**
 * Checks that a message's attachments are images in the scope, which the model must accept, or documents that the
 * user has added for a conversation.
 * @throws {ChorusError} `invalid_request` with a detail for each; `store_unavailable`
 */
export async function checkAttachments(
  { database, registry }: Pick<JobServices, 'database' | 'registry'>,
  { owner, path }: Requester,
  { attachments, session_id, model }: { attachments: readonly string[]; session_id: string | undefined; model: string },
): Promise<void> {
  const problems = attachments.map((id) =>
    isId('knowledge', id) ? documentProblem(database, owner, id) : imageProblem(database, owner, id),
  );
  const details = (await Promise.all(problems)).flatMap((message, index) =>
    message === null ? [] : [{ path: `${path}.attachments.${index}`, message }],
  );
  const documents = documentsOf(attachments);
  if (documents.length < attachments.length) {
    const models = (await registry.recentWorkers()).flatMap((worker) => worker.models);
    if (!acceptsImages(models.find(({ id }) => id === model))) {
      const able = models.filter(({ capabilities }) => capabilities.includes('vision')).map(({ id }) => id);
      const advice = able.length === 0 ? '' : `. These do: ${[...new Set(able)].slice(0, MAX_NAMED).join(', ')}`;
      details.push({ path: `${path}.attachments`, message: `${model} does not accept images${advice}` });
    }
  }
  if (documents.length > 0 && session_id !== undefined) {
    const known = await database.knowledge.listOfSession(owner, session_id);
    const all = new Set([...known.map(({ id }) => id), ...documents]);
    if (all.size > MAX_SESSION_DOCUMENTS)
      details.push({
        path: `${path}.attachments`,
        message: `a conversation has at most ${MAX_SESSION_DOCUMENTS} documents`,
      });
  }
  if (details.length > 0) throw invalid(details);
}

async function imageProblem({ assets }: Pick<Database, 'assets'>, owner: Owner, id: string): Promise<string | null> {
  const asset = await assets.get(owner, id);
  if (asset === null) return UNKNOWN;
  if (asset.kind === 'image' && isDecodable(asset.mime_type)) return null;
  return `must be an image, but it is ${asset.mime_type}. Add documents and audio to the knowledge with \`for_conversation\`, and attach the entry`;
}

async function documentProblem({ knowledge }: Pick<Database, 'knowledge'>, owner: Owner, id: string) {
  const entry = await knowledge.get(owner, id);
  if (entry === null) return 'is not a document of yours';
  if (entry.session_ids === null)
    return 'is shared by the scope. Name it in `knowledge.entry_ids`, or add it again with `for_conversation`';
  if (entry.status !== 'failed') return null;
  return `could not be read: ${entry.error?.message ?? 'unknown error'} Retry it, or leave it out`;
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
