import {
  ChorusError,
  type KnowledgeCreate,
  type KnowledgeCreated,
  type KnowledgeUpload,
  type KnowledgeUploaded,
  toErrorBody,
} from '@chorus/contract';
import type { AssetRecord, KnowledgeRecord } from '@chorus/database';
import { ContentTaken, type Material, type NewEntry, planEntry } from '@chorus/knowledge';
import type { ScopedContext } from '../http/request-context.ts';
import { checkAddress } from './check-address.ts';
import {
  answerBegun,
  answerDuplicate,
  awaitIngestion,
  type BegunIngestion,
  beginIngestion,
  created,
  entryOf,
  followsIngestion,
  type IngestionRequest,
} from './run-ingestion.ts';

type Made = { duplicate: KnowledgeRecord } | { entryId: string; begun: BegunIngestion };

/** An entry of a text or an address, and its ingestion; or the entry that has the same text. */
export async function createEntry(
  context: ScopedContext,
  body: KnowledgeCreate,
): Promise<KnowledgeCreated | undefined> {
  const { content, url, format = 'markdown' } = body;
  if (url !== undefined) checkAddress(context.services, url, 'body.url');
  const material: Material =
    content === undefined ? { type: 'url', url: String(url) } : { type: 'text', content, format };
  const made = await make(context, material, body, followsIngestion(context, body));
  if ('duplicate' in made) return answerDuplicate(context, made.duplicate, body);
  return answerBegun(context, made.entryId, made.begun, body);
}

/**
 * An entry of each file; of a single one the answer is that entry. Once one was taken, what refuses another is told with the answer; its file is
 * gone then, as is one whose content the scope has.
 *
 * @throws {ChorusError} what refuses the first file
 */
export async function createFromFiles(
  context: ScopedContext,
  files: readonly AssetRecord[],
  body: KnowledgeUpload,
): Promise<KnowledgeCreated | KnowledgeUploaded | undefined> {
  checkSingle(files, body);
  const { assets } = context.services;
  const made: Made[] = [];
  const failed: KnowledgeUploaded['failed'] = [];
  for (const file of files) {
    const { id: asset_id, filename, mime_type, size_bytes, sha256 } = file;
    const material: Material = { type: 'file', asset_id, filename, mime_type, size_bytes, sha256 };
    try {
      const one = await make(context, material, body, followsIngestion(context, body));
      if ('duplicate' in one) await assets.remove(context.owner, asset_id);
      made.push(one);
    } catch (error) {
      if (!(error instanceof ChorusError) || made.length === 0) throw error;
      failed.push({ filename, error: toErrorBody(error, context.requestId) });
      await assets.remove(context.owner, asset_id);
    }
  }
  const [only] = made;
  if (body.stream && only !== undefined) {
    if ('duplicate' in only) await answerDuplicate(context, only.duplicate, body);
    else await answerBegun(context, only.entryId, only.begun, body);
    return undefined;
  }
  const waits = made.map((one) => ('begun' in one ? awaitIngestion(context, one.begun) : undefined));
  await Promise.all(waits);
  const data = made.map(async (one) =>
    'duplicate' in one ? created(one.duplicate, true) : created(await entryOf(context, one.entryId), false),
  );
  const [first, ...others] = await Promise.all(data);
  if (files.length === 1 && first !== undefined) return first;
  return { object: 'list', data: first === undefined ? [] : [first, ...others], failed };
}

async function make(
  context: ScopedContext,
  material: Material,
  wanted: Omit<NewEntry, 'material'> & IngestionRequest & { metadata: Record<string, string> },
  follow: boolean,
): Promise<Made> {
  const { services, owner } = context;
  const { title, tags, metadata, languages, on_duplicate } = wanted;
  const entry: NewEntry = { material, title, tags, metadata, languages, on_duplicate };
  const plan = await planEntry({ ...services, keys: services.knowledgeKeys }, owner, entry);
  if ('duplicate' in plan) return plan;
  try {
    return { entryId: plan.entryId, begun: await beginIngestion(context, plan, wanted, { follow }) };
  } catch (error) {
    if (!(error instanceof ContentTaken)) throw error;
    const duplicate = await services.database.knowledge.findContent(owner, error.sha256);
    // Whoever was quicker has come to nothing, or was deleted since.
    if (duplicate === null)
      throw new ChorusError('conflict', 'The same was just created by another request.', { retryAfterS: 1 });
    return { duplicate };
  }
}

function checkSingle(files: readonly AssetRecord[], { title, stream }: KnowledgeUpload): void {
  if (files.length < 2) return;
  const field = stream ? 'stream' : title === undefined ? null : 'title';
  if (field === null) return;
  const message = 'goes with a single file';
  throw new ChorusError('invalid_request', `body.${field}: ${message}`, {
    details: [{ path: `body.${field}`, message }],
  });
}
