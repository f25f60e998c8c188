import { setTimeout as pause } from 'node:timers/promises';
import { ChorusError, isStoreUnavailable, isTerminal } from '@chorus/contract';
import type { Database, ExecutionRecord, MessageRecord, SessionRecord } from '@chorus/database';
import type { EventLog } from '@chorus/events';
import { applyEnding, cancelledOutcome, closeLog, endFromOutside, failedOutcome } from '@chorus/executions';
import type { Logger } from '@chorus/runtime/log';
import type { Dispatcher } from './dispatcher.ts';

/** Records touched more recently than this may still be in progress. */
const IN_PROGRESS_MS = 8_000;

const PAGE = 200;

/** The record of a turn follows its lock within milliseconds. */
const STORED_WITHIN_MS = 2_000;

/** Jobs in these states will run, or the stall path ends them. */
const IN_QUEUE = new Set(['waiting', 'active', 'delayed', 'prioritized', 'waiting-children', 'paused']);

export interface SweepParts {
  database: Database;
  eventLog: EventLog;
  dispatcher: Pick<Dispatcher, 'jobState' | 'redispatch' | 'resume'>;
  /** Charges ended executions to their budgets. */
  charge?: (execution: ExecutionRecord) => void;
  log: Logger;
}

/**
 * Cleans up after dead processes: executions without a job or with a failed one, and stale session locks. Also ends
 * executions that have waited too long for a decision.
 * Safe to run at any time and in several processes.
 *
 * @throws {ChorusError} `store_unavailable`; other failures are logged, and the sweep continues
 */
export async function sweep(parts: SweepParts): Promise<{ redispatched: number; ended: number; unlocked: number }> {
  const { database, log } = parts;
  const olderThan = new Date(Date.now() - IN_PROGRESS_MS);
  const counts = { redispatched: 0, ended: 0, unlocked: 0 };
  const unfinished = new Set<string>();
  for (let page: ExecutionRecord[] = []; ; ) {
    const after = page.at(-1)?.id;
    page = await database.executions.listUnfinished({ olderThan, limit: PAGE, ...(after ? { after } : {}) });
    // Thousands may wait for their providers, so the queue is asked about many at once.
    const states = await Promise.all(page.map((record) => stateOf(parts, record)));
    for (const [at, record] of page.entries()) {
      unfinished.add(record.id);
      const state = states[at] ?? 'unknown';
      const done = await logFailure(log, { execution_id: record.id }, () => sweepExecution(parts, record, state));
      if (done) counts[done] += 1;
    }
    if (page.length < PAGE) break;
  }
  for (let since = new Date(0); ; ) {
    const page = await database.sessions.listLocked({ olderThan, since, limit: PAGE });
    // Most are held by an execution that this sweep has seen.
    const free = page.filter(({ active_execution_id: id }) => id !== null && !unfinished.has(id));
    const records = free.map(({ owner, active_execution_id: id }) =>
      database.executions.get(owner, id as string).catch(() => undefined),
    );
    // A turn that begins now looks old if the clock of a machine is wrong.
    if ((await Promise.all(records)).includes(null)) await pause(STORED_WITHIN_MS);
    for (const session of free) {
      const freed = await logFailure(log, { session_id: session.id }, () => sweepLock(parts, session));
      if (freed) counts.unlocked += 1;
    }
    const last = page.at(-1)?.locked_at;
    if (page.length < PAGE || !last) break;
    // The next page starts at the same moment. If that moment fills a page, the next sweep handles the rest.
    since = last > since ? last : new Date(last.getTime() + 1);
  }
  return counts;
}

/** Logs a failure, such as an unknown kind, so that it does not stop the other repairs. */
async function logFailure<T>(log: Logger, about: Record<string, string>, step: () => Promise<T>): Promise<T | null> {
  try {
    return await step();
  } catch (err) {
    if (isStoreUnavailable(err)) throw err;
    log.error({ err, ...about }, 'sweep failed for one record');
    return null;
  }
}

/** Returns the state of an execution's job. After a failure, the next sweep asks again. */
async function stateOf({ dispatcher, log }: SweepParts, record: ExecutionRecord): Promise<string> {
  if (record.status === 'requires_action') return 'unknown';
  const about = { execution_id: record.id };
  return (await logFailure(log, about, () => dispatcher.jobState(record))) ?? 'waiting';
}

async function sweepExecution(
  parts: SweepParts,
  record: ExecutionRecord,
  state: string,
): Promise<'redispatched' | 'ended' | null> {
  const { database, dispatcher, log } = parts;
  if (record.status === 'requires_action') return sweepWaiting(parts, record);
  if (record.economy && record.status !== 'cancelling') return null; // its part goes on
  if (IN_QUEUE.has(state)) return null;
  const { owner, id, model, provider } = record;
  if (record.status === 'cancelling') {
    await end(parts, { owner, id, outcome: cancelledOutcome({ model, provider }) });
    return 'ended';
  }
  if (state === 'failed') {
    const error = new ChorusError('worker_lost', 'The workers that ran this execution crashed, so it was ended.');
    await end(parts, { owner, id, outcome: failedOutcome(error, record.request_id, { model, provider }) });
    log.warn({ execution_id: id }, 'execution ended by the sweep');
    return 'ended';
  }
  const current = await database.executions.get(owner, id);
  if (!current || isTerminal(current.status)) return null; // ended meanwhile
  // The attempt number increases, so an earlier attempt that still runs cannot write.
  await dispatcher.redispatch(current, current.attempt);
  return 'redispatched';
}

/** Continues an execution if the process that decided on its calls died. Ends one that has waited too long. */
async function sweepWaiting(parts: SweepParts, record: ExecutionRecord): Promise<'redispatched' | 'ended' | null> {
  const { dispatcher } = parts;
  const { owner, id, request_id, model, provider, usage, output, approvals_expire_at: expires } = record;
  if ((record.approvals ?? []).every(({ decision }) => decision !== null))
    return (await dispatcher.resume(owner, id)) ? 'redispatched' : null;
  if (expires === undefined || expires > new Date()) return null;
  const error = new ChorusError(
    'approval_expired',
    'The tool calls of this execution were not decided in time, so they were not run. Retry it to start over.',
  );
  const outcome = failedOutcome(error, request_id, { model, provider, usage, output });
  return (await end(parts, { owner, id, outcome })) && 'ended';
}

async function end(
  { database, eventLog, charge }: SweepParts,
  request: Parameters<typeof endFromOutside>[2],
): Promise<ExecutionRecord | null> {
  const ended = await endFromOutside(database, eventLog, request);
  if (ended) charge?.(ended);
  return ended;
}

async function sweepLock(parts: SweepParts, session: SessionRecord): Promise<boolean> {
  const { database, eventLog } = parts;
  const { owner, id, active_execution_id: executionId } = session;
  if (executionId === null) return false;
  const record = await database.executions.get(owner, executionId);
  if (record && !isTerminal(record.status)) return false;
  if (record) {
    await applyEnding(database, record);
    await closeLog(eventLog, record);
  } else {
    await undoTurn(database, session, executionId);
  }
  parts.log.warn({ session_id: id, execution_id: executionId }, 'session lock freed by the sweep');
  return true;
}

/** Undoes a turn whose execution was never stored, and recounts the messages. */
async function undoTurn(database: Database, session: SessionRecord, executionId: string): Promise<void> {
  const { owner, id } = session;
  const restored = await database.messages.restoreSuperseded(owner, id, executionId);
  let kept = 0;
  const added: MessageRecord[] = [];
  for (let after: string | null = null; ; ) {
    const page = await database.messages.listBySession(owner, id, { limit: PAGE, ...(after ? { after } : {}) });
    for (const message of page.data) {
      if (message.execution_id === executionId) added.push(message);
      else kept += 1;
    }
    after = page.next_cursor;
    if (after === null) break;
  }
  const answer = added.length === 1 ? added[0] : undefined;
  if (answer?.role === 'assistant' && restored === 0) {
    // The user's message belongs to an earlier execution: the turn was a retry and can be retried again.
    const failed = { content: '', status: 'failed', usage: null, execution_id: executionId } as const;
    await database.messages.complete(owner, answer.id, failed);
    kept += 1;
  } else {
    await database.messages.removeTurn(owner, id, executionId);
  }
  await database.sessions.release(owner, id, executionId, session.message_count - kept);
}
