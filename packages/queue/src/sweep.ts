import { ChorusError, isTerminal } from '@chorus/contract';
import type { Database, ExecutionRecord } from '@chorus/database';
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
 */
export async function sweep(parts: SweepParts): Promise<{ redispatched: number; ended: number; unlocked: number }> {
  const olderThan = new Date(Date.now() - SETTLED_AFTER_MS);
  const counts = { redispatched: 0, ended: 0, unlocked: 0 };
  let after: string | undefined;
  for (;;) {
    const page = await parts.database.executions.listUnfinished({
      olderThan,
      limit: PAGE,
      ...(after ? { after } : {}),
    });
    for (const record of page) {
      const done = await sweepExecution(parts, record);
      if (done) counts[done] += 1;
    }
    after = page.at(-1)?.id;
    if (page.length < PAGE) break;
  }
  for (const session of await parts.database.sessions.listLocked({ olderThan, limit: PAGE })) {
    if (await sweepLock(parts, session.owner, session.id, session.active_execution_id)) counts.unlocked += 1;
  }
  return counts;
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
  // Never queued, or lost from the queue: attempts go on counting, so that one that may still run can't speak over the new one.
  await dispatcher.redispatch(record, record.attempt);
  return 'redispatched';
}

async function sweepLock(
  parts: SweepParts,
  owner: ExecutionRecord['owner'],
  sessionId: string,
  executionId: string | null,
): Promise<boolean> {
  const { database, eventLog } = parts;
  if (executionId === null) return false;
  const record = await database.executions.get(owner, executionId);
  if (record && !isTerminal(record.status)) return false;
  if (record) {
    await applyEnding(database, record);
    await closeLog(eventLog, record);
  } else {
    // The turn was begun and its execution never stored: nobody can have seen it.
    const removed = await database.messages.removeTurn(owner, sessionId, executionId);
    await database.sessions.release(owner, sessionId, executionId, removed);
  }
  parts.log.warn({ session_id: sessionId, execution_id: executionId }, 'session lock freed by the sweep');
  return true;
}
