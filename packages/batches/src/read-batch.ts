import { JOBS, type Pool } from '@chorus/contract';
import type { BatchRecord, Database } from '@chorus/database';
import { BatchState } from './batch-state.ts';

/** Items looked at in one round trip. */
const PAGE = 2_000;

/** A batch as it is stored. */
export interface ReadBatch {
  state: BatchState;
  /** Where its items run. */
  pools: Pool[];
  /** Fields that the bodies of its items leave out. */
  defaults: Record<string, unknown>;
  /** The last number of an ending. */
  seq: number;
  /** Items that were given an execution which was never stored: whoever did that died. */
  unbegun: number[];
}

export async function readBatch(
  { batches, batchItems, executions }: Pick<Database, 'batches' | 'batchItems' | 'executions'>,
  batch: BatchRecord,
): Promise<ReadBatch> {
  const items = [];
  let seq = batch.ended_seq;
  for (let from = 0; ; from += PAGE) {
    const page = await batchItems.listStates(batch.id, { from, limit: PAGE });
    items.push(...page);
    for (const { ended_seq } of page) seq = Math.max(seq, ended_seq ?? 0);
    if (page.length < PAGE) break;
  }
  const state = new BatchState(items, batch.ordered);
  const outstanding = [...state.outstanding];
  const stored = new Set((await executions.standings(outstanding.map(([id]) => id))).map(({ id }) => id));
  return {
    state,
    pools: [...new Set(items.map(({ kind }) => JOBS[kind].pool))],
    defaults: await batches.defaultsOf(batch.id),
    seq,
    unbegun: outstanding.flatMap(([id, index]) => (stored.has(id) ? [] : [index])).sort((one, other) => one - other),
  };
}
