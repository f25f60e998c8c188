import type { Assets, StorageQuota } from '@chorus/assets';
import { type Actor, type AuditLog, isTerminal, type Owner, scopeKey } from '@chorus/contract';
import type { Database, KnowledgeRecord } from '@chorus/database';
import type { Search } from '@chorus/search';
import { type Asking, changeableEntry } from './change-entry.ts';
import { allSpaces } from './knowledge-space.ts';
import { ownFiles, textBytes, unknownEntry } from './plan-entry.ts';
import type { RevisionStore } from './revision-files.ts';
import { searchScope } from './search-scope.ts';

export interface RemovalParts extends RevisionStore {
  database: Pick<Database, 'knowledge' | 'knowledgeSpaces' | 'executions'>;
  search: Pick<Search, 'chunks'>;
  assets: Pick<Assets, 'remove'> & { quota: Pick<StorageQuota, 'release'> };
}

export interface DeletionParts extends RemovalParts {
  audit: AuditLog;
  cancel(owner: Owner, executionId: string): Promise<unknown>;
}

/**
 * Deletes an entry with its chunks, vectors, and file. Searches stop finding it immediately. The record is deleted
 * last, when no work on it is left, so that interrupted deletions continue.
 *
 * @throws {ChorusError} not_found, role_forbidden; store_unavailable, after which the sweep continues
 */
export async function deleteEntry(parts: DeletionParts, asking: Asking, actor: Actor, id: string): Promise<void> {
  const { database, audit, cancel } = parts;
  const { owner } = asking;
  const { status, execution_id } = await changeableEntry(database, asking, id);
  const hidden = await database.knowledge.hide(owner, id);
  if (hidden === null) throw unknownEntry();
  await audit.record(actor, {
    scope_key: scopeKey(owner),
    action: 'knowledge.deleted',
    target: { type: 'knowledge', id },
  });
  if (status === 'processing' && execution_id !== null) await cancel(owner, execution_id);
  await removeAll(parts, hidden);
  await forgetRecord(parts, hidden);
}

/**
 * Continues the deletion of a hidden entry. Returns false if work on it is still running.
 *
 * @throws {ChorusError} store_unavailable
 */
export async function finishDeletion(parts: RemovalParts, hidden: KnowledgeRecord): Promise<boolean> {
  if (await isWorkedOn(parts, hidden)) return false;
  // Repeated, because an ingestion may have written something meanwhile.
  await removeAll(parts, hidden);
  await removeRecord(parts, hidden);
  return true;
}

async function forgetRecord(parts: RemovalParts, hidden: KnowledgeRecord): Promise<void> {
  if (!(await isWorkedOn(parts, hidden))) await removeRecord(parts, hidden);
}

async function removeRecord({ database, assets }: RemovalParts, hidden: KnowledgeRecord): Promise<void> {
  const { owner, id } = hidden;
  await assets.quota.release(owner, id, textBytes(hidden), async () => {
    await database.knowledge.remove(owner, id);
    return true;
  });
}

async function isWorkedOn({ database }: RemovalParts, { execution_id }: KnowledgeRecord): Promise<boolean> {
  if (execution_id === null) return false;
  const [execution] = await database.executions.listStates([execution_id]);
  return execution !== undefined && !isTerminal(execution.status);
}

/** Removes everything but the record. Idempotent. */
export async function removeAll(
  {
    database,
    search,
    assets,
    ...store
  }: Omit<RemovalParts, 'database' | 'assets'> & {
    assets: Pick<Assets, 'remove'>;
    database: Pick<Database, 'knowledgeSpaces'>;
  },
  { id, owner, source, former_asset_ids, session_ids }: KnowledgeRecord,
): Promise<void> {
  for (const space of allSpaces(await database.knowledgeSpaces.get()))
    await (await search.chunks(space)).remove(searchScope({ owner, session_ids }), [id]);
  await removeFiles(store, id);
  for (const asset of [...former_asset_ids, ...ownFiles(source)]) await assets.remove(owner, asset);
}

async function removeFiles({ blobs, keys }: RevisionStore, id: string): Promise<void> {
  const prefix = await keys.ofEntry(id);
  for (;;) {
    const page = await blobs.list({ prefix });
    await blobs.removeMany(page.blobs.map(({ key }) => key));
    if (page.next === null) return;
  }
}
