import { ChorusError, isTerminal } from '@chorus/contract';
import type { Database, ExecutionRecord, MessageRecord, SessionRecord } from '@chorus/database';
import type { EventLog } from '@chorus/events';
import { applyEnding, cancelledOutcome, closeLog, endFromOutside, failedOutcome } from '@chorus/executions';
import type { Logger } from '@chorus/log';
import type { Dispatcher } from './dispatcher.ts';

/** What was touched less than this long ago is still somebody's business, in milliseconds. */
const SETTLED_AFTER_MS = 8_000;

/** Records looked at in one round trip. */
const PAGE = 200;

/** Jobs in these states will be run by some worker, or end by the stall path. */
const IN_QUEUE = new Set(['waiting', 'active', 'delayed', 'prioritized', 'waiting-children', 'paused']);

export interface SweepParts {
  database: Database;
  eventLog: EventLog;
  dispatcher: Pick<Dispatcher, 'jobState' | 'redispatch'>;
  log: Logger;
}

/**
 * Ends or queues again what a dead process has left: executions stored but never queued, executions whose job died without telling, and
 * session locks whose execution has ended. Safe to run at any time, and in several processes: each step is decided by the record.
 *
 * @throws {ChorusError} `store_unavailable`; whatever else fails is logged and does not keep the sweep from the rest
 */
export async function sweep(parts: SweepParts): Promise<{ redispatched: number; ended: number; unlocked: number }> {
  const { database, log } = parts;
  const olderThan = new Date(Date.now() - SETTLED_AFTER_MS);
  const counts = { redispatched: 0, ended: 0, unlocked: 0 };
  const unfinished = new Set<string>();
  for (let page: ExecutionRecord[] = []; ; ) {
    const after = page.at(-1)?.id;
    page = await database.executions.listUnfinished({ olderThan, limit: PAGE, ...(after ? { after } : {}) });
    for (const record of page) {
      unfinished.add(record.id);
      const done = await guarded(log, { execution_id: record.id }, () => sweepExecution(parts, record));
      if (done) counts[done] += 1;
    }
    if (page.length < PAGE) break;
  }
  for (let since = new Date(0); ; ) {
    const page = await database.sessions.listLocked({ olderThan, since, limit: PAGE });
    for (const session of page) {
      // Nearly all are held by an execution that was just seen.
      if (session.active_execution_id === null || unfinished.has(session.active_execution_id)) continue;
      const freed = await guarded(log, { session_id: session.id }, () => sweepLock(parts, session));
      if (freed) counts.unlocked += 1;
    }
    const last = page.at(-1)?.locked_at;
    if (page.length < PAGE || !last) break;
    // The next page begins with those of the same moment; where they fill a page, the rest of them is for the next sweep.
    since = last > since ? last : new Date(last.getTime() + 1);
  }
  return counts;
}

/** One that can't be dealt with, such as an execution of a kind that this version does not know, must not stop the others. */
async function guarded<T>(log: Logger, about: Record<string, string>, step: () => Promise<T>): Promise<T | null> {
  try {
    return await step();
  } catch (err) {
    if (err instanceof ChorusError && err.code === 'store_unavailable') throw err;
    log.error({ err, ...about }, 'the sweep could not deal with this');
    return null;
  }
}

async function sweepExecution(parts: SweepParts, record: ExecutionRecord): Promise<'redispatched' | 'ended' | null> {
  const { database, eventLog, dispatcher, log } = parts;
  const state = await dispatcher.jobState(record);
  if (IN_QUEUE.has(state)) return null;
  const { owner, id, model, provider } = record;
  if (record.status === 'cancelling') {
    await endFromOutside(database, eventLog, { owner, id, outcome: cancelledOutcome({ model, provider }) });
    return 'ended';
  }
  if (state === 'failed') {
    const error = new ChorusError('worker_lost', 'The workers that ran this died; it was given up.');
    await endFromOutside(database, eventLog, {
      owner,
      id,
      outcome: failedOutcome(error, record.request_id, { model, provider }),
    });
    log.warn({ execution_id: id }, 'execution ended by the sweep');
    return 'ended';
  }
  const current = await database.executions.get(owner, id);
  if (!current || isTerminal(current.status)) return null; // it ended between the two looks
  // Never queued, or lost from the queue: attempts go on counting, so that one that may still run can't speak over the new one.
  await dispatcher.redispatch(current, current.attempt);
  return 'redispatched';
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
    await takeBackTurn(database, session, executionId);
  }
  parts.log.warn({ session_id: id, execution_id: executionId }, 'session lock freed by the sweep');
  return true;
}

/** Undoes a turn that was begun and whose execution was never stored: nobody can have seen it. What is left is counted anew. */
async function takeBackTurn(database: Database, session: SessionRecord, executionId: string): Promise<void> {
  const { owner, id } = session;
  const broughtBack = await database.messages.bringBack(owner, id, executionId);
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
  if (answer?.role === 'assistant' && broughtBack === 0) {
    // The user's message is of an earlier execution: the turn was to run again, and can still be.
    const failed = { content: '', status: 'failed', usage: null, execution_id: executionId } as const;
    await database.messages.complete(owner, answer.id, failed);
    kept += 1;
  } else {
    await database.messages.removeTurn(owner, id, executionId);
  }
  await database.sessions.release(owner, id, executionId, session.message_count - kept);
}
