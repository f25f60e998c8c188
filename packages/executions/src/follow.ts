import { setTimeout as pause } from 'node:timers/promises';
import { isTerminal, type Owner } from '@chorus/contract';
import type { Database, ExecutionRecord } from '@chorus/database';
import type { EventLog, EventReader, StoredEvent } from '@chorus/events';
import { closeLog } from './close-log.ts';
import { recordOfEnd } from './terminal-event.ts';

export interface FollowParts {
  database: { executions: Pick<Database['executions'], 'get'> };
  eventLog: EventLog;
  owner: Owner;
  /** The record as it was when the following began. */
  record: ExecutionRecord;
  reader: EventReader;
  /** Whether every event matters; else only the end, which the record tells too. */
  events: boolean;
}

/** Pause before the store is asked again when it did not answer, in milliseconds. */
const RETRY_MS = 200;

/** A record that is missing after this time was deleted. */
const STORED_WITHIN_MS = 30_000;

export type Followed =
  | { running: StoredEvent[] }
  /** The end, with events before it; `seq` is null where the log that numbered it is gone. */
  | { running: StoredEvent[]; ended: ExecutionRecord; seq: number | null }
  /** The reader was closed, or the execution was deleted. */
  | null;

const isLast = ({ event }: StoredEvent) =>
  event.type === 'execution.succeeded' || event.type === 'execution.failed' || event.type === 'execution.cancelled';

/**
 * Waits for the next events of an execution. The log tells most; where it is silent (its publisher died between storing the end and telling
 * it, or the log is gone) the record decides.
 */
export async function follow(parts: FollowParts): Promise<Followed> {
  const { reader } = parts;
  for (;;) {
    const events = await reader.next();
    const last = events.at(-1);
    if (last && isLast(last)) {
      const record = recordOfEnd(last.event, parts.record) ?? (await toldRecord(parts));
      return record && { running: events.slice(0, -1), ended: record, seq: last.seq };
    }
    if (last) return { running: events };
    if (reader.closed) return null;
    const record = await endedRecord(parts);
    if (record === 'deleted') return null;
    if (!record) continue;
    if (!parts.events) return { running: [], ended: record, seq: null };
    if ((await logOfEnded(parts, record)) === 'told') return { running: [], ended: record, seq: null };
    reader.lookAgain();
  }
}

/**
 * Sees to it that the log of an ended execution tells the end, and what came before it. `told`: there is nothing more in it for this reader,
 * or it is gone.
 */
async function logOfEnded({ eventLog, reader }: FollowParts, record: ExecutionRecord): Promise<'told' | 'tells'> {
  try {
    const log = await eventLog.peek(record.id);
    if (!log || (log.ended && log.seq <= reader.seq)) return 'told';
    await closeLog(eventLog, record, reader.seq);
  } catch {
    await pause(RETRY_MS); // Redis does not answer
  }
  return 'tells';
}

/** The record of an execution whose end was told, so that it is stored. Waits for a store that is away; null once the reader is closed. */
async function toldRecord(parts: FollowParts): Promise<ExecutionRecord | null> {
  while (!parts.reader.closed) {
    const record = await endedRecord(parts);
    if (record === 'deleted') return null;
    if (record) return record;
    await pause(RETRY_MS);
  }
  return null;
}

/** The record, if it has ended. While the store is away it counts as running: the reader looks again. */
async function endedRecord({ database, owner, record }: FollowParts): Promise<ExecutionRecord | 'deleted' | null> {
  const stored = await database.executions.get(owner, record.id).catch(() => undefined);
  if (stored === null && wasStored(record)) return 'deleted';
  return stored && isTerminal(stored.status) ? stored : null;
}

/** Whether a record must be in the store by now: it is written while its job already runs. */
const wasStored = ({ finished_at, created_at }: ExecutionRecord): boolean =>
  finished_at !== null || Date.now() - created_at.getTime() > STORED_WITHIN_MS;
