import { type ChorusError, type ErrorBody, newId, toErrorBody } from '@chorus/contract';
import type { BatchItemRecord } from '@chorus/database';
import { laneOfExecution } from '@chorus/executions';
import { mayHold } from './batch-parts.ts';
import { type DispatchedItem, dispatchEach, isOverBudget } from './dispatch-each.ts';
import { type Ended, endItems } from './end-items.ts';
import { forEachConcurrently } from './for-each-concurrently.ts';
import { asChorusError, type PlannedItem, planItem } from './plan-item.ts';
import type { HeldExecution } from './read-batch.ts';
import { readPredecessors } from './read-predecessors.ts';
import { BatchChanged, type RunningBatch } from './running-batch.ts';
import { isUnrelatedError } from './unrelated-error.ts';

/** Maximum pause before a batch checks its budget again. */
const BUDGET_PAUSE_MS = 15_000;

/** Dispatches up to `count` items and returns how many were handled, failures included. */
export async function dispatchItems(running: RunningBatch, count: number): Promise<number> {
  const again = running.undispatched.splice(0, count);
  const indexes = [...again, ...running.state.take(count - again.length)];
  if (indexes.length === 0) return 0;
  const items = await running.parts.database.batchItems.getMany(running.batch.id, indexes);
  const executionsOf = await readPredecessors(running.parts.database, running.batch, items, running.state);
  const planned: { item: BatchItemRecord; plan: PlannedItem }[] = [];
  const failed: Ended[] = [];
  const later: number[] = [];
  const { agents } = running.parts.database;
  const { agent_id, owner } = running.batch;
  const agent = agent_id === null ? null : await agents.get(owner, agent_id);
  const planning = { planner: running.parts.planner, batch: running.batch, defaults: running.defaults, agent };
  const undispatched = new Set(again);
  await forEachConcurrently(items, async (item) => {
    const earlier = undispatched.has(item.index)
      ? { retryOf: item.retry_of, begunAs: item.execution_id }
      : { retryOf: item.execution_id, begunAs: null };
    const outcome = await planItem(planning, item, executionsOf(item), earlier);
    if (outcome === 'later') later.push(item.index);
    else if ('plan' in outcome) planned.push({ item, plan: outcome.plan });
    else failed.push(failedItem(running, item.index, outcome.error, outcome.cause));
  });
  planned.sort((one, other) => one.item.index - other.item.index);
  if (later.length > 0) putOff(running, later, undispatched);
  failed.push(...(await begin(running, planned, undispatched)));
  await endItems(running, failed);
  return indexes.length - later.length;
}

function putOff(running: RunningBatch, later: number[], again: ReadonlySet<number>): void {
  running.pausedUntil = performance.now() + 1_000;
  later.sort((one, other) => one - other);
  running.undispatched.push(...later.filter((index) => again.has(index)));
  running.state.putBack(later.filter((index) => !again.has(index)));
}

/** Stores the execution ids of items and dispatches them. Returns the items that failed. */
async function begin(
  running: RunningBatch,
  planned: readonly { item: BatchItemRecord; plan: PlannedItem }[],
  again: ReadonlySet<number>,
): Promise<Ended[]> {
  if (planned.length === 0) return [];
  const { database, dispatcher, checkLeader } = running.parts;
  const { id: batch_id, owner, api_key_id, request_id } = running.batch;
  const claimed = planned.map(({ item, plan }) => {
    const isAgain = again.has(item.index);
    const execution_id = isAgain ? (item.execution_id as string) : newId('job');
    return { index: item.index, execution_id, retry_of: isAgain ? item.retry_of : item.execution_id, plan };
  });
  const claims = claimed.filter(({ index }) => !again.has(index));
  checkLeader();
  const stored = await database.batchItems.claim(
    batch_id,
    claims.map(({ index, execution_id, retry_of }) => ({ index, execution_id, retry_of })),
  );
  if (stored !== claims.length) throw new BatchChanged();
  for (const { index, execution_id } of claims) running.state.queue(index, execution_id);
  for (const { execution_id, plan } of claimed) {
    running.lastLane = laneOfExecution({ kind: plan.work.kind, model: plan.work.model ?? null });
    running.lanes.set(execution_id, running.lastLane);
  }
  running.startedAt ??= new Date();
  checkLeader();
  const common = { owner, batch_id, api_key_id, request_id, session_id: null, message_id: null };
  const begun: DispatchedItem[] = [];
  const held = new Map<string, HeldExecution>();
  const failed: Ended[] = [];
  const fail = (index: number, executionId: string, cause: unknown) => {
    const error = toErrorBody(asChorusError(cause), request_id);
    failed.push({ ...failedItem(running, index, error, cause), executionId });
  };
  await forEachConcurrently(claimed, async ({ index, execution_id: id, retry_of, plan }) => {
    const { work, ...facts } = plan;
    try {
      const { input } = 'begin' in work ? await work.begin(id) : work;
      const holds = await mayHold(running.batch, { ...work, input }, running.parts.hasBatches);
      if (holds && work.model !== null) held.set(id, { model: work.model, inPart: false });
      const economy = holds && { economy: { part: null } };
      begun.push({
        index,
        execution: { kind: work.kind, model: work.model, input, ...facts, id, retry_of, ...common, ...economy },
      });
    } catch (cause) {
      if (isUnrelatedError(cause)) throw cause;
      fail(index, id, cause);
    }
  });
  begun.sort((one, other) => one.index - other.index);
  checkLeader();
  for (const { item, cause } of await dispatchEach(dispatcher, begun)) {
    held.delete(item.execution.id);
    if (isOverBudget(cause)) awaitBudget(running, item.index, cause);
    else fail(item.index, item.execution.id, cause);
  }
  for (const [id, execution] of held) running.held.set(id, execution);
  return failed;
}

/** Pauses the batch until the budget is reset or raised. */
function awaitBudget(running: RunningBatch, index: number, { retryAfterS = 0 }: ChorusError): void {
  running.undispatched.push(index);
  running.pausedUntil = performance.now() + Math.min(retryAfterS * 1_000, BUDGET_PAUSE_MS);
}

function failedItem(running: RunningBatch, index: number, error: ErrorBody, cause: unknown): Ended {
  if (error.code === 'internal_error')
    running.parts.log.error({ err: cause, batch_id: running.batch.id, index }, 'item of a batch not dispatched');
  return { index, status: 'failed', error, finished_at: new Date() };
}
