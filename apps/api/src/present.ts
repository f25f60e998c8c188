import type { Batch, Execution, KnowledgeEntry } from '@chorus/contract';
import type { BatchRecord, ExecutionRecord, KnowledgeRecord } from '@chorus/database';
import { awaitedLane, presentBatch, presentExecution } from '@chorus/executions';
import { presentEntry } from '@chorus/knowledge';
import type { RequestContext } from './http/request-context.ts';

type Presenting = Pick<RequestContext, 'addresses'> & { services: Pick<RequestContext['services'], 'lanes'> };

/** Presents executions, with the providers that queued ones wait for. */
export async function presentExecutions(
  { services, addresses }: Presenting,
  records: readonly ExecutionRecord[],
): Promise<Execution[]> {
  const lanes = await services.lanes.read(records.map(awaitedLane));
  return records.map((record) => presentExecution(record, addresses, lanes));
}

export async function presentOne(context: Presenting, record: ExecutionRecord): Promise<Execution> {
  const [execution] = await presentExecutions(context, [record]);
  return execution as Execution;
}

/** Presents batches, with the providers that their queued items wait for. */
export async function presentBatches(
  { services, addresses }: Presenting,
  records: readonly BatchRecord[],
): Promise<Batch[]> {
  const lanes = await services.lanes.read(records.flatMap(lanesOf));
  return records.map((record) => presentBatch(record, addresses, lanes));
}

export async function presentOneBatch(context: Presenting, record: BatchRecord): Promise<Batch> {
  const [batch] = await presentBatches(context, [record]);
  return batch as Batch;
}

/** Presents knowledge entries, with the providers that their ingestions wait for. */
export async function presentEntries(
  { services }: Presenting & { services: Pick<RequestContext['services'], 'database'> },
  records: readonly KnowledgeRecord[],
): Promise<KnowledgeEntry[]> {
  const processing = records.flatMap(({ status, execution_id: id }) => (status === 'processing' && id ? [id] : []));
  const states = processing.length === 0 ? [] : await services.database.executions.listStates(processing);
  const awaited = new Map(states.map((state) => [state.id, awaitedLane(state)]));
  const lanes = await services.lanes.read([...awaited.values()]);
  return records.map((record) => {
    const lane = awaited.get(record.execution_id ?? '');
    return presentEntry(record, (lane && lanes.get(lane)?.waiting) || null);
  });
}

const lanesOf = ({ lane_items }: BatchRecord): string[] => lane_items.map(({ lane }) => lane);
