import { ChorusError, type KnowledgeCreate, type KnowledgeUpload, knowledgeIngest } from '@chorus/contract';
import type { AssetRecord } from '@chorus/database';
import { type Material, planEntry, planRetry } from '@chorus/knowledge';
import { defineJobPlan } from './define-plan.ts';
import { checkAddress } from './requested-files.ts';

export type IngestionRequest = KnowledgeCreate | (KnowledgeUpload & { file: AssetRecord });

export const knowledgeIngestJob = defineJobPlan(knowledgeIngest, {
  /** @throws {ContentTaken} when the scope has this content already */
  plan: async (request: IngestionRequest, { owner, path }, services) => {
    const { title, tags, metadata, languages, on_duplicate } = request;
    const material = materialOf(request);
    if (material.type === 'url') checkAddress(services, material.url, `${path}.url`);
    const entry = { material, title, tags, metadata, languages, on_duplicate };
    return planEntry({ ...services, keys: services.knowledgeKeys }, owner, entry);
  },

  repeat: async ({ id, input }, { owner }, { database }) => {
    const { entry_id } = knowledgeIngest.input.parse(input);
    const { record, ...work } = await planRetry(database, owner, entry_id);
    if (record.execution_id === id) return work;
    throw new ChorusError('job_not_retryable', `A later ingestion of ${entry_id} also failed. Retry that one instead.`);
  },
});

function materialOf(request: IngestionRequest): Material {
  if ('file' in request) {
    const { id: asset_id, filename, mime_type, size_bytes, sha256 } = request.file;
    return { type: 'file', asset_id, filename, mime_type, size_bytes, sha256 };
  }
  const { content, url, format = 'markdown' } = request;
  return content === undefined ? { type: 'url', url: String(url) } : { type: 'text', content, format };
}
