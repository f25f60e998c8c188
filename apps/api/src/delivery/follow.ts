import { isTerminal, type Owner } from '@chorus/contract';
import type { Database, ExecutionRecord } from '@chorus/database';
import type { EventReader, StoredEvent } from '@chorus/events';
import { recordOfEnd } from '@chorus/executions';

export interface FollowParts {
  database: Database;
  owner: Owner;
  /** The record as it was when the following began. */
  record: ExecutionRecord;
  reader: EventReader;
  /** Whether every event matters; else only the end, which the record tells too. */
  events: boolean;
}

/** Pause before the store is asked again when it did not answer, in milliseconds. */
const RETRY_MS = 200;

export type Followed =
  | { running: StoredEvent[] }
  /** The end, with events before it; `seq` is null where the log that numbered it is gone. */
  | { running: StoredEvent[]; ended: ExecutionRecord; seq: number | null }
  /** The reader was closed. */
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
    if (!record) continue;
    if (!parts.events) return { running: [], ended: record, seq: null };
    // It ended: what the log still holds comes first.
    reader.lookAgain();
    const rest = await reader.next();
    const end = rest.at(-1);
    if (end && isLast(end)) return { running: rest.slice(0, -1), ended: record, seq: end.seq };
    if (rest.length > 0) return { running: rest };
    if (reader.closed) return null;
    // Redis does not answer, or there is more: the end must not overtake it.
    if (reader.behind) continue;
    return { running: [], ended: record, seq: null };
  }
}

/** The record of an execution whose end was told, so that it is stored. Waits for a store that is away; null once the reader is closed. */
async function toldRecord(parts: FollowParts): Promise<ExecutionRecord | null> {
  while (!parts.reader.closed) {
    const record = await endedRecord(parts);
    if (record) return record;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
  return null;
}

/** The record, if it has ended. While the store is away it counts as running: the reader looks again. */
async function endedRecord({ database, owner, record }: FollowParts): Promise<ExecutionRecord | null> {
  const stored = await database.executions.get(owner, record.id).catch(() => null);
  return stored && isTerminal(stored.status) ? stored : null;
}
