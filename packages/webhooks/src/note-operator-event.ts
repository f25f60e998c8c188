import type { Owner, WebhookEvent } from '@chorus/contract';
import type { Database } from '@chorus/database';
import { eventId, noteDelivery } from './note-deliveries.ts';

/** Owns deliveries to operators. No user has this id, so no user lists them. */
const PLATFORM: Owner = { scope: 'personal', user_id: 'platform', workspace_id: null };

export interface NewOperatorEvent {
  event: WebhookEvent;
  /** The receiver that the operator set. */
  url: string;
  at: Date;
  /** Identifies the event, with its name: there is one delivery for each key and time. */
  of: { key: string; since: Date };
  data: Record<string, unknown>;
}

/**
 * Stores the delivery of an event to operators, once per key and time. Repeat it until it succeeds.
 *
 * @param keepMs time to keep the delivery after its last attempt
 * @returns Whether it is new.
 * @throws {ChorusError} `store_unavailable`
 */
export async function noteOperatorEvent(
  database: Pick<Database, 'webhookDeliveries'>,
  { event, url, at, of: { key, since }, data }: NewOperatorEvent,
  keepMs: number,
): Promise<boolean> {
  const subject = { id: eventId(since, `operator/${event}/${key}/${since.getTime()}`), operator: { at, data } };
  return noteDelivery(database, { owner: PLATFORM, event, url, subject }, keepMs);
}
