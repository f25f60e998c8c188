import type { ExecutionRecord } from '@chorus/database';
import { type EventLog, WEBHOOKS_CHANNEL } from '@chorus/events';

/** Wakes whoever else waits for the end of an execution, once it is stored. Not waited for; can be repeated. */
export function announceEnd(eventLog: Pick<EventLog, 'wake'>, record: Pick<ExecutionRecord, 'webhook_url'>): void {
  if (record.webhook_url) eventLog.wake(WEBHOOKS_CHANNEL);
}
