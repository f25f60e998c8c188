import { idAlike, type Owner, type WebhookEvent } from '@chorus/contract';
import type { Database, WebhookDeliveryRecord, WebhookWish } from '@chorus/database';

/** Executions that are noted in one round. */
const PAGE = 100;

const DAY_MS = 86_400_000;

/** Until when a delivery is kept that is due now: it may be tried for a day. */
export const keptUntil = (now: Date, keepMs: number): Date => new Date(now.getTime() + DAY_MS + keepMs);

export interface NewDelivery {
  owner: Owner;
  event: WebhookEvent;
  url: string;
  /** What it tells of: the id of an execution or of a batch. */
  subject: { execution_id: string } | { batch_id: string };
  /** Of an execution in a session, whose delivery is its maker's alone. */
  session_id?: string | null;
}

/**
 * Notes that something is to be told. To be repeated until it succeeds: of what happened once there is one delivery, however often it is noted.
 *
 * @param keepMs how long the delivery's record is kept after its last attempt
 * @throws {ChorusError} `store_unavailable`
 */
export async function noteDelivery(
  { webhookDeliveries }: Pick<Database, 'webhookDeliveries'>,
  delivery: NewDelivery,
  keepMs: number,
): Promise<void> {
  const now = new Date();
  const { owner, event, url, subject, session_id = null } = delivery;
  const ids = { execution_id: null, batch_id: null, ...subject };
  const record: WebhookDeliveryRecord = {
    id: idAlike('webhookDelivery', ids.execution_id ?? ids.batch_id ?? ''),
    owner,
    event,
    ...ids,
    session_id,
    url,
    host: URL.parse(url)?.host ?? '',
    status: 'pending',
    attempts: [],
    attempt_count: 0,
    due_since: now,
    tries: 0,
    next_attempt_at: now,
    created_at: now,
    ended_at: null,
    expires_at: keptUntil(now, keepMs),
  };
  await webhookDeliveries.insert(record);
}

/** Notes the deliveries of executions that have ended; whether there may be more of them. */
export async function noteExecutions(
  database: Pick<Database, 'executions' | 'webhookDeliveries'>,
  keepMs: number,
): Promise<boolean> {
  const wishes = await database.executions.listWebhooksDue(PAGE);
  if (wishes.length === 0) return false;
  await Promise.all(wishes.map((wish) => noteDelivery(database, deliveryOf(wish), keepMs)));
  await database.executions.noteWebhooks(wishes.map(({ id }) => id));
  return wishes.length === PAGE;
}

function deliveryOf({ id, owner, status, session_id, webhook_url }: WebhookWish): NewDelivery {
  const event = `execution.${status}` as WebhookEvent;
  return { owner, event, url: webhook_url, subject: { execution_id: id }, session_id };
}
