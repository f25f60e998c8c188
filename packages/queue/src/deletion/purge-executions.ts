import { scopeKey } from '@chorus/contract';
import type { DeletableExecution, DeletionRecord, DeletionSubject } from '@chorus/database';
import type { DeletionParts } from './deletion-parts.ts';

/** Executions purged in one step. */
const PAGE = 100;

export interface PurgeOptions {
  /** Whether an execution's assets go too. */
  withAssets: (execution: DeletableExecution) => boolean;
  /** Whether the executions' items of a batch stay, and have to forget their errors. */
  itemsStay?: boolean;
}

/**
 * Deletes what executions say: their records but for the usage, event logs, jobs, kept answers and feed entries. Those that still run are
 * cancelled. Can be repeated.
 *
 * @returns whether some still run: they have to be purged later
 */
export async function purgeExecutions(
  parts: DeletionParts,
  deletion: DeletionRecord,
  subject: DeletionSubject,
  options: PurgeOptions,
): Promise<{ running: boolean }> {
  const recordings = new Set(deletion.recording_ids);
  let running = false;
  for (let after = ''; ; ) {
    const page = await parts.database.executions.listForDeletion(deletion.owner, subject, { after, limit: PAGE });
    const unfinished = page.filter((one) => !one.ended);
    for (const { owner, id } of unfinished) await parts.dispatcher.cancel(owner, id);
    running ||= unfinished.length > 0;
    const ended = page.filter((one) => one.ended);
    const found = ended.filter(options.withAssets).flatMap(recordingOf);
    await parts.database.deletions.add(deletion, { recording_ids: found });
    for (const id of found) recordings.add(id);
    await purgeEnded(parts, ended, options);
    after = page.at(-1)?.id ?? '';
    if (page.length < PAGE) break;
  }
  for (const id of recordings) await removeRecording(parts, deletion, id);
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
  // From here on nobody can read the records, and no worker can end them again.
  await Promise.all(ended.map((execution) => Promise.all([eventLog.seal(execution.id), dispatcher.forget(execution)])));
  const failed = ended.filter((execution) => execution.failed);
  if (failed.length > 0) await eventLog.forgetEnds(scopeKey(first.owner), new Set(failed.map(({ id }) => id)));
  for (const { batch_id, id } of itemsStay ? failed : [])
    if (batch_id !== null) await database.batchItems.forgetError(batch_id, id);
  for (const { owner, id } of ended.filter(withAssets))
    for (const asset of await database.assets.ofExecution(owner, id)) await assets.remove(asset.owner, asset.id);
  await database.idempotency.forgetAnswers(ids);
}

/** The sound that a spoken turn was asked with. */
export function recordingOf({ input }: Pick<DeletableExecution, 'input'>): string[] {
  const { said } = input as { said?: { asset_id?: unknown } };
  return typeof said?.asset_id === 'string' ? [said.asset_id] : [];
}

/** Deletes a recording if it is an upload of the user whose records are deleted. */
async function removeRecording({ database, assets }: DeletionParts, { owner }: DeletionRecord, id: string) {
  const asset = await database.assets.get(owner, id);
  if (asset === null || asset.execution_id !== null || asset.owner.user_id !== owner.user_id) return;
  await assets.remove(owner, id);
}
