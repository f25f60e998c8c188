import { setTimeout as pause } from 'node:timers/promises';
import { ChorusError, JOBS, type KnowledgeCreated, type Owner } from '@chorus/contract';
import type { Database, ExecutionRecord, KnowledgeRecord } from '@chorus/database';
import type { EventReader } from '@chorus/events';
import { type IngestionPlan, planRetry, presentEntry } from '@chorus/knowledge';
import type { ScopedContext } from '../http/request-context.ts';
import { unknownRecord } from '../http/unknown-record.ts';
import { deliver } from './deliver.ts';
import { holdPlace } from './hold-place.ts';
import { joinExecution } from './join-execution.ts';
import { readPreference } from './prefer.ts';
import { askedAtOf, joinsRetry } from './retry-once.ts';
import { waitForEnd } from './wait.ts';
import { webhookOf } from './webhook-of.ts';

/** How long an execution that an entry names may take to be stored. */
const STORED_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 50;

export interface IngestionRequest {
  stream?: boolean;
  metadata?: Record<string, string>;
  webhook_url?: string | undefined;
}

export interface BegunIngestion {
  record: ExecutionRecord;
  reader: EventReader | null;
}

/**
 * Begins the ingestion that a plan prepares.
 *
 * @param options.follow whether its events are waited for
 * @throws {ChorusError} overloaded, store_unavailable, and what the plan throws
 */
export async function beginIngestion(
  context: ScopedContext,
  plan: IngestionPlan,
  request: IngestionRequest,
  options: { follow: boolean; id?: string | undefined; retryOf?: string | null },
): Promise<BegunIngestion> {
  const { services, owner, requestId, credential } = context;
  // Checked before a place is taken: what is refused here must leave no promise behind.
  const webhookUrl = webhookOf(services, request);
  return services.dispatcher.dispatch({
    kind: 'knowledge.ingest',
    model: null,
    ...(options.follow && { admitted: holdPlace(context, 'waits') }),
    prepare: plan.prepare,
    abandon: plan.abandon,
    id: options.id,
    apiKeyId: credential.key?.id ?? null,
    owner,
    requestId,
    metadata: request.metadata ?? {},
    webhookUrl,
    retryOf: options.retryOf ?? null,
    follow: options.follow,
  });
}

/**
 * A failed or cancelled ingestion again, for a new execution.
 *
 * @throws {ChorusError} not_found when its entry is gone; job_not_retryable when that has not failed, or by a later ingestion
 */
export async function repeatedIngestion(
  database: Pick<Database, 'knowledge'>,
  owner: Owner,
  { id, input }: ExecutionRecord,
) {
  const { entry_id } = JOBS['knowledge.ingest'].input.parse(input);
  const { record, prepare, abandon } = await planRetry(database, owner, entry_id);
  if (record.execution_id !== id)
    throw new ChorusError('job_not_retryable', `A later ingestion of ${entry_id} failed as well: retry that.`);
  return { kind: 'knowledge.ingest' as const, model: null, prepare, abandon };
}

/** The retry of an entry that another request has just begun; null: there is none. */
export async function runningRetry(context: ScopedContext, id: string): Promise<ExecutionRecord | null> {
  const { services, owner } = context;
  const giveUpAt = performance.now() + STORED_WITHIN_MS;
  for (;;) {
    const { execution_id, status } = await entryOf(context, id);
    if (execution_id === null || status === 'ready') return null;
    const execution = await services.database.executions.get(owner, execution_id);
    if (execution !== null)
      return execution.retry_of !== null && joinsRetry(execution, askedAtOf(context)) ? execution : null;
    // The entry names its execution a moment before that is stored.
    if (status !== 'processing' || performance.now() > giveUpAt) return null;
    await pause(LOOK_EVERY_MS);
  }
}

/** How long an entry's answer waits for its ingestion: not at all, unless that is asked for. In milliseconds. */
export function waitOf(context: ScopedContext): number {
  const { waitMs, applied } = readPreference(context.request.headers.prefer);
  return applied?.startsWith('wait=') ? waitMs : 0;
}

/** Whether the events of an ingestion are needed for its answer. */
export const followsIngestion = (context: ScopedContext, { stream = false }: IngestionRequest) =>
  stream || waitOf(context) > 0;

/** Waits for an ingestion's end, as far as the request asks for that. */
export async function awaitIngestion(context: ScopedContext, { record, reader }: BegunIngestion): Promise<void> {
  const { applied } = readPreference(context.request.headers.prefer);
  if (applied !== null) context.response.setHeader('Preference-Applied', applied);
  if (reader !== null) await waitForEnd(context, record, reader, waitOf(context));
}

/** Answers with an entry, or with the events of what was begun. */
export async function answerBegun(
  context: ScopedContext,
  entryId: string,
  begun: BegunIngestion,
  { stream = false }: IngestionRequest,
): Promise<KnowledgeCreated | undefined> {
  context.executionId = begun.record.id;
  if (!stream) {
    await awaitIngestion(context, begun);
    return created(await entryOf(context, entryId), false);
  }
  context.answerToKeep = created(await entryOf(context, entryId), false);
  return deliver(context, begun, { stream, preference: readPreference(undefined) });
}

/** Answers with an entry that was there already: its newest ingestion is followed like a new one. */
export async function answerDuplicate(
  context: ScopedContext,
  record: KnowledgeRecord,
  { stream = false }: IngestionRequest,
): Promise<KnowledgeCreated | undefined> {
  const { services, owner } = context;
  const executionId = record.execution_id;
  const execution = executionId === null ? null : await services.database.executions.get(owner, executionId);
  if (execution !== null && stream) {
    context.answerToKeep = created(record, true);
    return joinExecution(context, execution.id, true);
  }
  if (execution === null || execution.finished_at !== null || waitOf(context) === 0) return created(record, true);
  await holdPlace(context, 'waits');
  await awaitIngestion(context, { record: execution, reader: await services.hub.open(execution.id, 0) });
  return created(await entryOf(context, record.id), true);
}

export const created = (record: KnowledgeRecord, duplicate: boolean): KnowledgeCreated => ({
  ...presentEntry(record),
  duplicate,
});

/** @throws {ChorusError} not_found when it was deleted meanwhile */
export async function entryOf({ services, owner }: ScopedContext, id: string): Promise<KnowledgeRecord> {
  const record = await services.database.knowledge.get(owner, id);
  if (record === null) throw unknownRecord('knowledge');
  return record;
}
