import { findKind, type Owner, scopeKey } from '@chorus/contract';
import type { Database, DeletableExecution, DeletionRecord, DeletionSubject, KnowledgeRecord } from '@chorus/database';
import type { EventLog } from '@chorus/events';
import type { Logger } from '@chorus/runtime/log';
import type { Dispatcher } from '../dispatcher.ts';

const PAGE = 100;

export interface DeletionParts {
  database: Pick<
    Database,
    | 'deletions'
    | 'executions'
    | 'sessions'
    | 'messages'
    | 'messageRevisions'
    | 'idempotency'
    | 'batches'
    | 'batchItems'
    | 'batchParts'
    | 'knowledge'
    | 'archive'
    | 'archiveRevisions'
    | 'assets'
    | 'agents'
    | 'folders'
    | 'prompts'
    | 'shares'
  >;
  eventLog: Pick<EventLog, 'seal' | 'forgetEnds'>;
  dispatcher: Pick<Dispatcher, 'forget' | 'cancel'>;
  assets: { remove(owner: Owner, id: string): Promise<boolean> };
  /** Removes the data of an entry that is hidden because it is being deleted. */
  removeEntry(entry: KnowledgeRecord): Promise<unknown>;
  /** Blanks quotes of a knowledge entry in stored answers. */
  blankQuotes(owner: Owner, entryId: string): Promise<void>;
  log: Logger;
}

export interface PurgeOptions {
  withAssets: (execution: DeletableExecution) => boolean;
  /** Keeps the batch items of the executions, but clears their errors. */
  itemsStay?: boolean;
}

/**
 * Deletes event logs, jobs, stored answers, feed entries, and all of the records but their usage. Cancels
 * running executions. Idempotent.
 *
 * @returns whether some still run and need another pass
 */
export async function purgeExecutions(
  parts: DeletionParts,
  deletion: DeletionRecord,
  subject: DeletionSubject,
  options: PurgeOptions,
): Promise<{ running: boolean }> {
  const sent = new Set(deletion.asset_ids);
  let running = false;
  for (let after = ''; ; ) {
    const page = await parts.database.executions.listForDeletion(deletion.owner, subject, { after, limit: PAGE });
    const unfinished = page.filter((one) => !one.ended);
    for (const { owner, id } of unfinished) await parts.dispatcher.cancel(owner, id);
    running ||= unfinished.length > 0;
    const ended = page.filter((one) => one.ended);
    const found = ended.filter(options.withAssets).flatMap(recordingOf);
    await parts.database.deletions.add(deletion, { asset_ids: found });
    for (const id of found) sent.add(id);
    await purgeEnded(parts, ended, options);
    after = page.at(-1)?.id ?? '';
    if (page.length < PAGE) break;
  }
  for (const id of sent) await removeUpload(parts, deletion, id);
  return { running };
}

async function purgeEnded(
  { database, eventLog, dispatcher, assets }: DeletionParts,
  ended: DeletableExecution[],
  { withAssets, itemsStay = false }: PurgeOptions,
): Promise<void> {
  const [first] = ended;
  if (!first) return;
  const ids = ended.map(({ id }) => id);
  await database.executions.blank(ids);
  // Now the records are unreadable, and no worker can end them again.
  await Promise.all(ended.map((execution) => Promise.all([eventLog.seal(execution.id), dispatcher.forget(execution)])));
  const failed = ended.filter((execution) => execution.failed);
  if (failed.length > 0) await eventLog.forgetEnds(scopeKey(first.owner), new Set(failed.map(({ id }) => id)));
  for (const { batch_id, id } of itemsStay ? failed : [])
    if (batch_id !== null) await database.batchItems.clearError(batch_id, id);
  const owns = ({ kind }: DeletableExecution) => findKind(kind)?.ownsAssets === true;
  for (const { owner, id } of ended.filter((one) => withAssets(one) || owns(one)))
    for (const asset of await database.assets.listByExecution(owner, id)) await assets.remove(asset.owner, asset.id);
  await database.idempotency.clearAnswers(ids);
}

/** Returns the recording of a spoken turn's question. */
export function recordingOf({ input }: Pick<DeletableExecution, 'input'>): string[] {
  const { said } = input as { said?: { asset_id?: unknown } };
  return typeof said?.asset_id === 'string' ? [said.asset_id] : [];
}

/** Deletes a file that the owner of the deletion uploaded. */
async function removeUpload({ database, assets }: DeletionParts, { owner }: DeletionRecord, id: string) {
  const asset = await database.assets.get(owner, id);
  if (asset === null || asset.execution_id !== null || asset.owner.user_id !== owner.user_id) return;
  await assets.remove(owner, id);
}
