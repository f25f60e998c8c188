import { KINDS, type Pool } from '@chorus/contract';
import type { BatchRecord, Database } from '@chorus/database';
import { laneOfExecution } from '@chorus/executions';
import { BatchState } from './batch-state.ts';

/** Number of items to read in one round trip. */
const PAGE = 2_000;

export interface HeldExecution {
  model: string;
  inPart: boolean;
}

export interface LoadedBatch {
  state: BatchState;
  pools: Pool[];
  /** Defaults for the bodies of its items. */
  defaults: Record<string, unknown>;
  /** The last sequence number of an ended item. */
  seq: number;
  /** The lanes of outstanding executions, by id. */
  lanes: Map<string, string | null>;
  /** The lanes that have put off outstanding executions, by id. */
  awaited: Map<string, string>;
  /** Executions that are held for a batch endpoint: their model, and whether they are in a part. */
  held: Map<string, HeldExecution>;
  /** Items with an execution id but no stored execution, left by a process that died. */
  undispatched: number[];
}

export async function readBatch(
  { batches, batchItems, executions }: Pick<Database, 'batches' | 'batchItems' | 'executions'>,
  batch: BatchRecord,
): Promise<LoadedBatch> {
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
  const states = await executions.listStates(outstanding.map(([id]) => id));
  const stored = new Set(states.map(({ id }) => id));
  return {
    state,
    pools: [...new Set(items.map(({ kind }) => KINDS[kind].pool))],
    defaults: await batches.getDefaults(batch.id),
    seq,
    lanes: new Map(states.map((one) => [one.id, laneOfExecution(one)])),
    awaited: new Map(
      states.flatMap(({ id, awaited_lane }): [string, string][] => (awaited_lane ? [[id, awaited_lane]] : [])),
    ),
    held: new Map(
      states.flatMap(({ id, model, economy }): [string, HeldExecution][] =>
        economy === undefined || model === null ? [] : [[id, { model, inPart: economy.part !== null }]],
      ),
    ),
    undispatched: outstanding
      .flatMap(([id, index]) => (stored.has(id) ? [] : [index]))
      .sort((one, other) => one - other),
  };
}
