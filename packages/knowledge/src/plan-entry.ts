import { createHash } from 'node:crypto';
import type { StorageQuota } from '@chorus/assets';
import type { Blobs } from '@chorus/blobs';
import {
  ChorusError,
  dependentId,
  type KnowledgeSource,
  knowledgeIngest,
  type Owner,
  type TEXT_FORMATS,
} from '@chorus/contract';
import type { Database, KnowledgeRecord } from '@chorus/database';
import type { StoredWork, Work } from '@chorus/executions';
import { entryTitle } from './entry-title.ts';
import type { KnowledgeKeys } from './knowledge-keys.ts';

export interface EntryStore {
  database: Pick<Database, 'knowledge'>;
  blobs: Pick<Blobs, 'put' | 'remove'>;
  assets: { quota: Pick<StorageQuota, 'check' | 'charge' | 'settle' | 'refund' | 'release'> };
  keys: KnowledgeKeys;
}

export type Material =
  | { type: 'text'; content: string; format: (typeof TEXT_FORMATS)[number] }
  | { type: 'url'; url: string }
  | {
      type: 'file';
      asset_id: string;
      filename: string | null;
      mime_type: string;
      size_bytes: number;
      sha256: string;
      /** Whether the file outlives the entry. */
      kept: boolean;
    };

export interface NewEntry {
  material: Material;
  title?: string | undefined;
  tags: string[];
  metadata: Record<string, string>;
  languages?: string[] | undefined;
  on_duplicate: 'reuse' | 'create';
  /** Whether it is for a conversation, rather than shared with the scope. */
  for_conversation?: boolean;
}

type IngestKind = typeof knowledgeIngest.kind;

/** Work of an ingestion. Starting it stores the text to ingest. */
export type Ingestion = Work<IngestKind> & StoredWork<IngestKind>;

export const ingestion = (begin: Ingestion['begin']): Ingestion => ({ kind: knowledgeIngest.kind, model: null, begin });

export class ContentTaken extends Error {
  readonly sha256: string;
  /** The existing entry, if it could be read. */
  readonly entry: KnowledgeRecord | null;

  constructor(sha256: string, entry: KnowledgeRecord | null = null) {
    super('another entry has this content');
    this.name = 'ContentTaken';
    this.sha256 = sha256;
    this.entry = entry;
  }
}

/**
 * Plans a new entry, which is stored when its execution starts.
 *
 * @throws {ContentTaken} if another entry has its content
 * @throws {ChorusError} store_unavailable
 */
export async function planEntry(
  { database, blobs, keys, assets: { quota } }: EntryStore,
  owner: Owner,
  { material, on_duplicate, for_conversation = false, ...wanted }: NewEntry,
): Promise<Ingestion> {
  const reuse = on_duplicate === 'reuse' && !for_conversation;
  const facts = factsOf(material);
  const same = reuse && facts.sha256 !== null ? await database.knowledge.findContent(owner, facts.sha256) : null;
  if (same !== null) throw new ContentTaken(same.sha256 ?? '', same);
  // Remote content is not counted, but a full scope accepts no more entries.
  await quota.check(owner);
  const source = sourceOf(material);
  const text = material.type === 'text' ? material.content : null;

  const begin: Ingestion['begin'] = async (executionId) => {
    // A repeated call finds its own entry.
    const entryId = dependentId('knowledge', executionId);
    const text_name = text === null ? null : textName(executionId);
    if (text !== null && text_name !== null) {
      await quota.charge(owner, entryId, Buffer.byteLength(text));
      await blobs.put(await keys.text(entryId, text_name), Buffer.from(text));
    }
    const now = new Date();
    const record: KnowledgeRecord = {
      id: entryId,
      owner,
      title: wanted.title ?? entryTitle(source, text ?? ''),
      title_given: wanted.title !== undefined,
      source,
      languages: wanted.languages ?? [],
      text_name,
      former_asset_ids: [],
      status: 'processing',
      stage: null,
      error: null,
      tags: wanted.tags,
      metadata: wanted.metadata,
      ...facts,
      page_count: null,
      chunk_count: 0,
      revision: 1,
      searchable_revision: null,
      spaces: [],
      embedding_model: null,
      execution_id: executionId,
      facts_revision: 0,
      warnings: [],
      session_ids: for_conversation ? [] : null,
      processing_since: now,
      created_at: now,
      updated_at: now,
    };
    if (!(await database.knowledge.insert(record, reuse))) {
      const stored = await database.knowledge.get(owner, entryId);
      // The sweep has failed it meanwhile.
      if (stored?.status === 'failed') await database.knowledge.begin(owner, entryId, executionId);
      if (stored === null) {
        if (text_name !== null) await blobs.remove(await keys.text(entryId, text_name)).catch(() => undefined);
        await quota.refund(owner, entryId);
        throw new ContentTaken(String(facts.sha256));
      }
    }
    if (text !== null) await quota.settle(owner, entryId);
    const undo = async () => {
      const abandoned = () => database.knowledge.abandon(owner, entryId, executionId).then(() => true);
      await quota.release(owner, entryId, text === null ? 0 : Buffer.byteLength(text), abandoned);
      if (text_name !== null) await blobs.remove(await keys.text(entryId, text_name));
    };
    return { input: { entry_id: entryId, revision: 1 }, undo };
  };
  return { ...ingestion(begin), source: material.type };
}

/**
 * Plans a retry of a failed entry from the step that failed.
 *
 * @throws {ChorusError} not_found; job_not_retryable if it has not failed
 */
export async function planRetry(
  { knowledge }: Pick<Database, 'knowledge'>,
  owner: Owner,
  id: string,
): Promise<Ingestion & { record: KnowledgeRecord }> {
  const record = await knowledge.get(owner, id);
  if (record === null) throw unknownEntry();
  if (record.status !== 'failed') throw notFailed(record.status);
  return { record, ...planAgain({ knowledge }, record) };
}

/** Plans to process a failed entry again. */
export function planAgain(
  { knowledge }: Pick<Database, 'knowledge'>,
  { id, owner, error }: Pick<KnowledgeRecord, 'id' | 'owner' | 'error'>,
): Ingestion {
  return ingestion(async (executionId) => {
    const begun = (await knowledge.begin(owner, id, executionId)) ?? (await knowledge.get(owner, id));
    if (begun?.execution_id !== executionId) throw notFailed(begun?.status ?? 'deleted');
    const undo = async () => {
      if (error !== null) await knowledge.fail(owner, id, executionId, error);
    };
    return { input: { entry_id: id, revision: begun.revision }, undo };
  });
}

export const unknownEntry = () => new ChorusError('not_found', 'Entry not found.');

function notFailed(status: string): ChorusError {
  return new ChorusError('job_not_retryable', `Only failed entries can be retried; this one is ${status}.`);
}

/** Returns the size of an entry's text; uploads count as assets. */
export const textBytes = ({ text_name, size_bytes }: KnowledgeRecord): number =>
  text_name === null ? 0 : (size_bytes ?? 0);

/** File name of an execution's text in the entry's folder. */
export const textName = (executionId: string) => `text-${executionId}`;

/** Returns the file that is deleted with its entry. */
export const ownFiles = (source: KnowledgeSource): string[] =>
  source.type === 'file' && !source.kept ? [source.asset_id] : [];

export function sourceOf(material: Material): KnowledgeSource {
  switch (material.type) {
    case 'text':
      return { type: 'text', format: material.format };
    case 'url':
      return { type: 'url', url: material.url, mime_type: null };
    case 'file': {
      const { asset_id, filename, mime_type, kept } = material;
      return { type: 'file', asset_id, filename, mime_type, ...(kept && { kept }) };
    }
    default:
      return material satisfies never;
  }
}

/** Returns facts about the content that are known before reading it. */
export function factsOf(material: Material): { size_bytes: number | null; sha256: string | null } {
  if (material.type === 'url') return { size_bytes: null, sha256: null };
  if (material.type === 'file') return { size_bytes: material.size_bytes, sha256: material.sha256 };
  const { content } = material;
  return { size_bytes: Buffer.byteLength(content), sha256: createHash('sha256').update(content).digest('hex') };
}
