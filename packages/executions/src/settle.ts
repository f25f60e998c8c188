import { ChorusError, type OutputItem, type Owner, toErrorBody } from '@chorus/contract';
import type { Database, ExecutionRecord, Outcome } from '@chorus/database';
import type { EventLog } from '@chorus/events';
import { announceEnd } from './announce.ts';
import { closeLog } from './close-log.ts';

/** The repositories that ending an execution touches. */
export type SettleStore = {
  executions: Pick<Database['executions'], 'finish' | 'get'>;
  messages: Pick<Database['messages'], 'complete'>;
  sessions: Pick<Database['sessions'], 'release'>;
  knowledge: Pick<Database['knowledge'], 'fail'>;
};

export interface SettleRequest {
  owner: Owner;
  id: string;
  /** The attempt that ends it; null: from outside, whichever attempt has it. */
  attempt: number | null;
  outcome: Outcome;
}

/** The record is stored while the job is queued; a job that is sooner waits so long for it, and looks so often, in milliseconds. */
const RECORD_COMES_WITHIN_MS = 3_000;
const RECORD_LOOK_MS = 10;

/**
 * Does a step that finds nothing while its record is not stored yet. Answers what the step answered; or, where it was refused, the record
 * that refuses it (null: none came within 3 s).
 *
 * @param refuses whether a record refuses the step for good. One that does not came between the step and the look: the step is tried again
 */
export async function withRecord<T>(
  store: { executions: Pick<SettleStore['executions'], 'get'> },
  { owner, id, waitMs = RECORD_COMES_WITHIN_MS }: { owner: Owner; id: string; waitMs?: number },
  step: () => Promise<T | null>,
  refuses: (record: ExecutionRecord) => boolean,
): Promise<{ done: T | null; record: ExecutionRecord | null }> {
  for (let waitedMs = 0; ; waitedMs += RECORD_LOOK_MS) {
    const done = await step();
    if (done !== null) return { done, record: null };
    const record = await store.executions.get(owner, id);
    if ((record && refuses(record)) || waitedMs >= waitMs) return { done: null, record };
    await new Promise((resolve) => setTimeout(resolve, RECORD_LOOK_MS));
  }
}

/**
 * Stores how an execution ended: first its record, which decides (of two that try, one succeeds), then what follows from the record:
 * the session's message and lock, or the entry that was to be made searchable. Answers the finished record, or null where somebody else has ended it or holds it.
 *
 * The terminal event comes after this, so that whoever sees it finds everything stored and the session free.
 */
export async function settle(store: SettleStore, request: SettleRequest): Promise<ExecutionRecord | null> {
  const { owner, id, attempt, outcome } = request;
  const { done, record: stored } = await withRecord(
    store,
    attempt === null ? { owner, id, waitMs: 0 } : { owner, id },
    () => store.executions.finish(owner, id, attempt, outcome),
    ({ finished_at, attempt: holder }) => finished_at !== null || (attempt !== null && holder !== attempt),
  );
  // Refused; unless it was this very attempt's write, done before its answer was lost.
  const isOwn = stored?.finished_at && (attempt === null || stored.attempt === attempt);
  const record = done ?? (isOwn ? stored : null);
  if (!record) return null;
  await applyEnding(store, record);
  return record;
}

/** What follows from a finished record. Can be repeated: a sweep or a later attempt does it again after a crash. */
export async function applyEnding(store: SettleStore, record: ExecutionRecord): Promise<void> {
  const { owner, session_id, message_id } = record;
  if (record.kind === 'knowledge.ingest') await failIngestion(store, record);
  if (session_id === null) return;
  if (message_id !== null) {
    await store.messages.complete(owner, message_id, { ...messageOfEnd(record), execution_id: record.id });
  }
  await store.sessions.release(owner, session_id, record.id);
}

/** What a finished turn makes of its answer's message. */
export function messageOfEnd({ output, status, usage }: Pick<ExecutionRecord, 'output' | 'status' | 'usage'>) {
  return {
    content: output.map((item) => (item.type === 'text' ? item.text : '')).join(''),
    status,
    citations: output.filter((item) => item.type === 'citation'),
    usage,
  };
}

/** An entry is made ready by the ingestion itself, before its end; whatever other end that takes is the entry's failure. */
async function failIngestion({ knowledge }: Pick<SettleStore, 'knowledge'>, record: ExecutionRecord): Promise<void> {
  const { owner, id, input, status, request_id } = record;
  if (status === 'succeeded' || typeof input.entry_id !== 'string') return;
  const error = record.error ?? toErrorBody(new ChorusError('cancelled', 'The ingestion was cancelled.'), request_id);
  await knowledge.fail(owner, input.entry_id, id, error);
}

/**
 * Ends an execution from outside its worker: its record, what follows from it, and its event log. What was shown stands: it becomes the
 * outcome's output.
 */
export async function endFromOutside(
  store: SettleStore,
  eventLog: EventLog,
  request: Omit<SettleRequest, 'attempt'>,
): Promise<ExecutionRecord | null> {
  const outcome = { ...request.outcome, output: await takeShown(eventLog, request.id) };
  const record = await settle(store, { ...request, outcome, attempt: null });
  if (record) {
    announceEnd(eventLog, record);
    await closeLog(eventLog, record);
  }
  return record;
}

/** What a log has shown, after taking it from any worker that may still write: nothing more is shown then. */
async function takeShown(eventLog: EventLog, id: string): Promise<OutputItem[]> {
  const log = await eventLog.peek(id);
  if (!log) return [];
  await eventLog.append(id, log.attempt + 1, -1, []);
  return eventLog.shown(id);
}
