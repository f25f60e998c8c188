import { ChorusError, type EndedItemStatus, type ErrorBody, toErrorBody } from '@chorus/contract';
import type { ItemEnding } from '@chorus/database';
import type { SkippedItem } from './batch-state.ts';
import { BatchChanged, type RunningBatch } from './running-batch.ts';

/** Maximum number of items to end in one round trip. */
const MAX_ENDS_PER_STEP = 500;

export type Ended = Pick<ItemEnding, 'index' | 'status' | 'error' | 'finished_at'> & { executionId?: string | null };

/** Ends items, then skips those that depend on failures, transitively. */
export async function endItems(running: RunningBatch, ended: readonly Ended[]): Promise<void> {
  const skipped: SkippedItem[] = [];
  for (let from = 0; from < ended.length; from += MAX_ENDS_PER_STEP)
    skipped.push(...(await store(running, ended.slice(from, from + MAX_ENDS_PER_STEP))));
  if (skipped.length > 0) await endSkipped(running, skipped);
}

/** Ends items that can no longer run. */
export async function endSkipped(running: RunningBatch, skipped: readonly SkippedItem[]): Promise<void> {
  const finished_at = new Date();
  const status: EndedItemStatus = 'skipped';
  await endItems(
    running,
    skipped.map(({ index, because }) => ({ index, status, error: skipError(running, because), finished_at })),
  );
}

function skipError(running: RunningBatch, because: string): ErrorBody {
  const message = `Skipped because item ${JSON.stringify(because)} did not succeed.`;
  return toErrorBody(new ChorusError('item_not_run', message), running.batch.request_id);
}

async function store(running: RunningBatch, ended: readonly Ended[]): Promise<SkippedItem[]> {
  if (ended.length === 0) return [];
  running.parts.checkLeader();
  const seq = running.seq + 1;
  const endings = ended.map(({ index, status, error, finished_at }) => ({ index, status, error, finished_at }));
  const stored = await running.parts.database.batchItems.end(running.batch.id, seq, endings);
  if (stored !== ended.length) throw new BatchChanged();
  running.seq = seq;
  for (const { status, executionId } of ended) {
    running.parts.onItemEnded?.(status);
    if (executionId) {
      running.lanes.delete(executionId);
      running.awaited.delete(executionId);
      running.held.delete(executionId);
    }
  }
  return ended.flatMap(({ index, status, executionId }) => running.state.end(index, status, executionId));
}
