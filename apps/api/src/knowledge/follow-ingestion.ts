import type { KnowledgeCreated } from '@chorus/contract';
import type { KnowledgeRecord } from '@chorus/database';
import { presentEntry } from '@chorus/knowledge';
import type { Dispatched } from '@chorus/queue';
import type { WorkRequest } from '../executes.ts';
import { deliver, joinExecution, waitForEnd } from '../executes.ts';
import type { ScopedContext } from '../http/request-context.ts';
import { unknownRecord } from '../http/unknown-record.ts';
import { holdPlace } from '../responses/hold-place.ts';
import { readPreference } from '../responses/preferences.ts';

/** Returns how long a response waits for the ingestion. 0 unless the request asks for it. */
function waitOf(context: ScopedContext): number {
  const { waitMs, applied } = readPreference(context.request.headers.prefer);
  return applied?.startsWith('wait=') ? waitMs : 0;
}

/** Returns whether the response needs the ingestion's events. */
export const followsIngestion = (context: ScopedContext, { stream = false }: WorkRequest) =>
  stream || waitOf(context) > 0;

/** Waits for an ingestion to end, as long as the request asks. */
export async function awaitIngestion(context: ScopedContext, { record, reader }: Dispatched): Promise<void> {
  const { applied } = readPreference(context.request.headers.prefer);
  if (applied !== null) context.response.setHeader('Preference-Applied', applied);
  if (reader !== null) await waitForEnd(context, record, reader, waitOf(context));
}

/** Answers with an entry, or with the events of its ingestion. */
export async function answerBegun(
  context: ScopedContext,
  entryId: string,
  begun: Dispatched,
  { stream = false }: WorkRequest,
): Promise<KnowledgeCreated | undefined> {
  context.executionId = begun.record.id;
  if (!stream) {
    await awaitIngestion(context, begun);
    return created(await entryOf(context, entryId), false);
  }
  context.answerToKeep = created(await entryOf(context, entryId), false);
  return deliver(context, begun, { stream, preference: readPreference(undefined) });
}

/** Answers with an existing entry, and follows its latest ingestion like a new one. */
export async function answerDuplicate(
  context: ScopedContext,
  record: KnowledgeRecord,
  { stream = false }: WorkRequest,
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

/** @throws {ChorusError} not_found when it has been deleted */
export async function entryOf({ services, owner }: ScopedContext, id: string): Promise<KnowledgeRecord> {
  const record = await services.database.knowledge.get(owner, id);
  if (record === null) throw unknownRecord('knowledge');
  return record;
}
