import { setTimeout as pause } from 'node:timers/promises';
import { isTerminal, type Owner } from '@chorus/contract';
import type { Database, ExecutionRecord } from '@chorus/database';
import type { EventLog, EventReader, StoredEvent } from '@chorus/events';
import { closeLog, recordOfEnd } from './terminal-event.ts';

export interface FollowParts {
  database: { executions: Pick<Database['executions'], 'get'> };
  eventLog: EventLog;
  owner: Owner;
  /** The record when following began. */
  record: ExecutionRecord;
  reader: EventReader;
  /** Whether to return every event, or only the end. */
  events: boolean;
}

const RETRY_MS = 200;

/** A record still missing after this time was deleted. */
const STORED_WITHIN_MS = 30_000;

export type Followed =
  | { running: StoredEvent[] }
  /** The end, with the events before it. `seq` is null if the log is gone. */
  | { running: StoredEvent[]; ended: ExecutionRecord; seq: number | null }
  /** The reader was closed, or the execution was deleted. */
  | null;

const isLast = ({ event }: StoredEvent) =>
  event.type === 'execution.succeeded' || event.type === 'execution.failed' || event.type === 'execution.cancelled';

/**
 * Waits for the next events of an execution. If the log is gone, or its writer crashed before the terminal
 * event, the record decides.
 */
export async function follow(parts: FollowParts): Promise<Followed> {
  const { reader } = parts;
  for (;;) {
    const events = await reader.next();
    const last = events.at(-1);
    if (last && isLast(last)) {
      const record = recordOfEnd(last.event, parts.record) ?? (await waitForRecord(parts));
      return record && { running: events.slice(0, -1), ended: record, seq: last.seq };
    }
    if (last) return { running: events };
    if (reader.closed) return null;
    const record = await endedRecord(parts);
    if (record === 'deleted') return null;
    if (!record) continue;
    if (!parts.events) return { running: [], ended: record, seq: null };
    if ((await completeLog(parts, record)) === 'read') return { running: [], ended: record, seq: null };
    reader.recheck();
  }
}

/** Completes the log of an ended execution. Returns `read` if this reader has received all of it. */
async function completeLog({ eventLog, reader }: FollowParts, record: ExecutionRecord): Promise<'read' | 'unread'> {
  try {
    const log = await eventLog.peek(record.id);
    if (!log || (log.ended && log.seq <= reader.seq)) return 'read';
    await closeLog(eventLog, record, reader.seq);
  } catch {
    await pause(RETRY_MS); // Redis does not answer
  }
  return 'unread';
}

/** Returns the stored record of an end. Retries while the store is down; null once the reader is closed. */
async function waitForRecord(parts: FollowParts): Promise<ExecutionRecord | null> {
  while (!parts.reader.closed) {
    const record = await endedRecord(parts);
    if (record === 'deleted') return null;
    if (record) return record;
    await pause(RETRY_MS);
  }
  return null;
}

/** Returns the record if the execution has ended. While the store is down, it counts as running. */
async function endedRecord({ database, owner, record }: FollowParts): Promise<ExecutionRecord | 'deleted' | null> {
  const stored = await database.executions.get(owner, record.id).catch(() => undefined);
  if (stored === null && wasStored(record)) return 'deleted';
  return stored && isTerminal(stored.status) ? stored : null;
}

/** Returns whether the record must exist by now. It is written while its job may already run. */
const wasStored = ({ finished_at, created_at }: ExecutionRecord): boolean =>
  finished_at !== null || Date.now() - created_at.getTime() > STORED_WITHIN_MS;
