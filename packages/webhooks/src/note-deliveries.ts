import { createHash } from 'node:crypto';
import { idAlike, type Owner, type WebhookEvent } from '@chorus/contract';
import type { Database, WebhookDeliveryRecord, WebhookWish } from '@chorus/database';

/** Executions that are noted in one round. */
const PAGE = 100;

const DAY_MS = 86_400_000;

/** How an id is written, and how many of its last digits tell nothing of its time. */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const RANDOM_DIGITS = 12;

/** Until when a delivery is kept that is due now: it may be tried for a day. */
export const keptUntil = (now: Date, keepMs: number): Date => new Date(now.getTime() + DAY_MS + keepMs);

export interface NewDelivery {
  owner: Owner;
  event: WebhookEvent;
  url: string;
  /** What it tells of: the id of an execution or of a batch; a batch that runs again has more than one end. */
  subject: { execution_id: string } | { batch_id: string; round: number };
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
  const { round, ...ids } = { execution_id: null, batch_id: null, round: 0, ...subject };
  const record: WebhookDeliveryRecord = {
    id: deliveryId(ids.execution_id ?? ids.batch_id ?? '', round),
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

/** The same for the same end: made from the id of what has ended. */
function deliveryId(subject: string, round: number): string {
  const id = idAlike('webhookDelivery', subject);
  if (round === 0) return id;
  const digest = createHash('sha256').update(`${subject}/${round}`).digest();
  const tail = Array.from(digest.subarray(0, RANDOM_DIGITS), (byte) => DIGITS[byte % DIGITS.length]);
  return id.slice(0, -RANDOM_DIGITS) + tail.join('');
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
