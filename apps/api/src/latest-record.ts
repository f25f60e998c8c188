import type { Owner } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import type { Services } from './services.ts';

/** Returns an execution. Null: it is unknown. The record of a new one may lag behind its events. */
export async function latestRecord(
  { database, eventLog }: Pick<Services, 'database' | 'eventLog'>,
  owner: Owner,
  id: string,
): Promise<ExecutionRecord | null> {
  const record = await database.executions.get(owner, id);
  if (record?.status === 'queued' && (await eventLog.isRunning(id).catch(() => false))) record.status = 'running';
  return record;
}
