import {
  ChorusError,
  findKind,
  messageSteps,
  type Owner,
  reasoningIn,
  sourcesOf,
  toErrorBody,
  toolCallsOf,
  withEndedCalls,
} from '@chorus/contract';
import type { Database, ExecutionRecord, Outcome } from '@chorus/database';
import type { EventLog } from '@chorus/events';
import { isNothing } from '@chorus/providers/usage';
import { announceEnd, durationOf } from './announce.ts';
import { closeLog } from './terminal-event.ts';

export type SettleStore = {
  executions: Pick<Database['executions'], 'finish' | 'get'>;
  messages: Pick<Database['messages'], 'complete'>;
  sessions: Pick<Database['sessions'], 'release'>;
  knowledge: Pick<Database['knowledge'], 'fail'>;
};

export interface SettleRequest {
  owner: Owner;
  id: string;
  /** The attempt that ends it. Null: any attempt, for an end from outside the worker. */
  attempt: number | null;
  outcome: Outcome;
  /** The job's input, if the caller has it. */
  input?: ExecutionRecord['input'];
  /** Decisions about its calls. */
  approvals?: ExecutionRecord['approvals'];
}

/** A job may finish before its record is stored. It waits this long for the record. */
const RECORD_TIMEOUT_MS = 3_000;
const RECORD_POLL_MS = 10;

/**
 * Runs a step that returns null until its record is stored. Returns the step's result, or the record that
 * refused it (null: no record within 3 s).
 *
 * @param refuses Returns whether a record refuses the step for good. Otherwise the step is retried.
 */
export async function withRecord<T>(
  store: { executions: Pick<SettleStore['executions'], 'get'> },
  { owner, id, waitMs = RECORD_TIMEOUT_MS }: { owner: Owner; id: string; waitMs?: number },
  step: () => Promise<T | null>,
  refuses: (record: ExecutionRecord) => boolean,
): Promise<{ done: T | null; record: ExecutionRecord | null }> {
  for (let waitedMs = 0; ; waitedMs += RECORD_POLL_MS) {
    const done = await step();
    if (done !== null) return { done, record: null };
    const record = await store.executions.get(owner, id);
    if ((record && refuses(record)) || waitedMs >= waitMs) return { done: null, record };
    await new Promise((resolve) => setTimeout(resolve, RECORD_POLL_MS));
  }
}

/**
 * Stores the end of an execution: first the record, which decides between concurrent ends, then the
 * session's message and lock, or the knowledge entry. Returns the finished record, or null if another
 * caller has ended it or holds it.
 *
 * The terminal event is written afterwards, so its readers find everything stored and the session free.
 */
export async function settle(store: SettleStore, request: SettleRequest): Promise<ExecutionRecord | null> {
  const { owner, id, attempt, input, approvals } = request;
  const { status, output, finished_at: endedAt } = request.outcome;
  const outcome =
    status === 'succeeded'
      ? request.outcome
      : { ...request.outcome, output: withEndedCalls(output, endedAt, approvals) };
  const { done, record: stored } = await withRecord(
    store,
    attempt === null ? { owner, id, waitMs: 0 } : { owner, id },
    () => store.executions.finish(owner, id, attempt, outcome, input),
    ({ finished_at, attempt: holder }) => finished_at !== null || (attempt !== null && holder !== attempt),
  );
  // Refused, unless this attempt wrote it before its reply was lost.
  const isOwn = stored?.finished_at && (attempt === null || stored.attempt === attempt);
  const record = done ?? (isOwn ? stored : null);
  if (!record) return null;
  await applyEnding(store, record);
  return record;
}

/** Applies the effects of a finished record. Idempotent: repeated after a crash. */
export async function applyEnding(store: SettleStore, record: ExecutionRecord): Promise<void> {
  const { owner, session_id, message_id } = record;
  await failEntry(store, record);
  if (session_id === null) return;
  if (message_id !== null) {
    await store.messages.complete(owner, message_id, { ...messageOfEnd(record), execution_id: record.id });
  }
  await store.sessions.release(owner, session_id, record.id);
}

type EndOfTurn = Pick<
  ExecutionRecord,
  'output' | 'status' | 'usage' | 'finish_reason' | 'warnings' | 'model' | 'started_at' | 'finished_at'
>;

/** Returns the changes to the answer's message. */
export function messageOfEnd(end: EndOfTurn) {
  const { output, status, usage, finish_reason, warnings, model } = end;
  // Calls of an answer that was cut off may be incomplete.
  const isWhole = status === 'succeeded' && finish_reason !== 'length' && finish_reason !== 'content_filter';
  return {
    content: answerText({ output }),
    status,
    citations: output.filter((item) => item.type === 'citation'),
    reasoning: reasoningIn(output),
    tool_calls: isWhole ? toolCallsOf(output) : [],
    steps: messageSteps(output),
    sources: sourcesOf(output),
    warnings,
    usage,
    model,
    duration_ms: durationOf(end),
  };
}

/** Returns the text of an answer or a refusal. */
export function answerText({ output }: Pick<ExecutionRecord, 'output'>): string {
  return output
    .map((item) => (item.type === 'text' ? item.text : item.type === 'refusal' ? item.refusal : ''))
    .join('');
}

/** Marks the entry of an unsuccessful ingestion as failed. A successful one has marked it ready itself. */
async function failEntry({ knowledge }: Pick<SettleStore, 'knowledge'>, record: ExecutionRecord): Promise<void> {
  const { owner, id, kind, input, status, request_id } = record;
  const entryId = findKind(kind)?.entryOf?.(input);
  if (status === 'succeeded' || entryId === undefined) return;
  const error = record.error ?? toErrorBody(new ChorusError('cancelled', 'The ingestion was cancelled.'), request_id);
  await knowledge.fail(owner, entryId, id, error);
}

/** Ends an execution from outside its worker: record, effects, and event log. Keeps the shown output. */
export async function endFromOutside(
  store: SettleStore,
  eventLog: EventLog,
  request: Omit<SettleRequest, 'attempt'>,
): Promise<ExecutionRecord | null> {
  const shown = await takeOver(eventLog, request.id);
  const stored = await store.executions.get(request.owner, request.id);
  const outcome = { ...keepKnown(request.outcome, stored), ...shown };
  const record = await settle(store, { ...request, outcome, attempt: null, approvals: stored?.approvals });
  if (record) {
    announceEnd(eventLog, record);
    await closeLog(eventLog, record);
  }
  return record;
}

/** Keeps what the attempts have stored: what they used, and of which model. */
function keepKnown(outcome: Outcome, stored: ExecutionRecord | null): Outcome {
  if (stored === null) return outcome;
  const { model, provider, usage } = outcome;
  return {
    ...outcome,
    model: model ?? stored.model,
    provider: provider ?? stored.provider,
    usage: stored.known_usage ?? (isNothing(usage) ? stored.usage : usage),
  };
}

/** Takes over the log, so that its worker can show nothing more, and returns the output shown so far. */
async function takeOver(eventLog: EventLog, id: string): Promise<Partial<Pick<Outcome, 'output' | 'resets'>>> {
  const log = await eventLog.peek(id);
  if (!log) return {};
  const { resets } = await eventLog.append(id, log.attempt + 1, -1, []);
  return { output: await eventLog.shown(id), ...(resets > 0 && { resets }) };
}
