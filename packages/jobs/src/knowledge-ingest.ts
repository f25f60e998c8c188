import {
  ChorusError,
  dependentId,
  type KnowledgeCreate,
  type KnowledgeIngestInput,
  type KnowledgeUpload,
  knowledgeIngest,
  type Owner,
} from '@chorus/contract';
import type { AssetRecord, Database, KnowledgeRecord } from '@chorus/database';
import type { Work } from '@chorus/executions';
import { ContentTaken, type Material, planAgain, planEntry, planRetry } from '@chorus/knowledge';
import { defineJobPlan, type JobServices, type Requester } from './define-plan.ts';
import { checkAddress, knownAsset } from './requested-files.ts';

export type IngestionRequest = KnowledgeCreate | (KnowledgeUpload & { file: AssetRecord });

export const knowledgeIngestJob = defineJobPlan(knowledgeIngest, {
  /** @throws {ContentTaken} if the scope already has this content */
  plan: async (request: IngestionRequest, requester, services) => {
    const { title, tags, metadata, languages, on_duplicate, for_conversation } = request;
    const material = await materialOf(request, requester, services);
    const entry = { material, title, tags, metadata, languages, on_duplicate, for_conversation };
    return planEntry({ ...services, keys: services.knowledgeKeys }, requester.owner, entry);
  },

  /** A duplicate becomes an execution, too, so that the item has a result. */
  planItem: async (request, requester, services): Promise<Work<typeof knowledgeIngest.kind>> => {
    const { database } = services;
    const { owner, retryOf, begunAs } = requester;
    const own = begunAs === null ? null : await database.knowledge.get(owner, dependentId('knowledge', begunAs));
    if (own !== null) return planAgain(database, own);
    const failed = retryOf === null ? null : await failedEntry(database, owner, retryOf);
    if (failed !== null && failed.status !== 'ready') return planAgain(database, failed);
    const planOfSame = async (error: unknown) => {
      if (!(error instanceof ContentTaken)) throw error;
      const same = error.entry ?? (await database.knowledge.findContent(owner, error.sha256));
      if (same === null)
        throw new ChorusError('conflict', 'An entry with the same content has just been deleted. Retry the item.');
      return same;
    };
    try {
      const work = await knowledgeIngestJob.plan(request, requester, services);
      const begin = (id: string) => work.begin(id).catch(async (error) => ({ input: sameAs(await planOfSame(error)) }));
      return { ...work, begin };
    } catch (error) {
      const same = await planOfSame(error);
      if (same.status === 'failed') return planAgain(database, same);
      return { kind: knowledgeIngest.kind, model: null, input: sameAs(same) };
    }
  },

  repeat: async ({ id, input }, { owner }, { database }) => {
    const { entry_id } = knowledgeIngest.input.parse(input);
    const { record, ...work } = await planRetry(database, owner, entry_id);
    if (record.execution_id === id) return work;
    throw new ChorusError('job_not_retryable', `A later ingestion of ${entry_id} also failed. Retry that one instead.`);
  },
});

const sameAs = ({ id, revision }: KnowledgeRecord): KnowledgeIngestInput => ({
  entry_id: id,
  revision,
  duplicate: true,
});

/** Returns the entry of an ingestion, unless it was deleted. */
async function failedEntry(
  { executions, knowledge }: Pick<Database, 'executions' | 'knowledge'>,
  owner: Owner,
  executionId: string,
): Promise<KnowledgeRecord | null> {
  const execution = await executions.get(owner, executionId);
  const { data } = knowledgeIngest.input.safeParse(execution?.input);
  return data === undefined || data.duplicate ? null : knowledge.get(owner, data.entry_id);
}

async function materialOf(
  request: IngestionRequest,
  { owner, path }: Requester,
  services: JobServices,
): Promise<Material> {
  if ('file' in request) return fileOf(request.file, { kept: false });
  const { content, url, asset_id, format = 'markdown' } = request;
  if (content !== undefined) return { type: 'text', content, format };
  if (asset_id !== undefined)
    return fileOf(await knownAsset(services, owner, asset_id, `${path}.asset_id`), { kept: true });
  checkAddress(services, String(url), `${path}.url`);
  return { type: 'url', url: String(url) };
}

const fileOf = (
  { id: asset_id, filename, mime_type, size_bytes, sha256 }: AssetRecord,
  { kept }: { kept: boolean },
): Material => ({ type: 'file', asset_id, filename, mime_type, size_bytes, sha256, kept });
