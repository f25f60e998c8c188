import { createHash } from 'node:crypto';
import { dependentId, idOfBytes, type Owner, type WebhookEvent } from '@chorus/contract';
import type { BudgetAlert, Database, DueWebhook, OperatorEvent, WebhookDeliveryRecord } from '@chorus/database';

const PAGE = 100;

const DAY_MS = 86_400_000;

/** The alphabet of ids, and the number of random digits at their end. */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const RANDOM_DIGITS = 12;

/** Returns when a delivery that is due now expires. Attempts may take a day. */
export const keptUntil = (now: Date, keepMs: number): Date => new Date(now.getTime() + DAY_MS + keepMs);

export interface NewDelivery {
  owner: Owner;
  event: WebhookEvent;
  url: string;
  /** The execution or batch. A batch ends once per retry round, and an execution may wait in several attempts. */
  subject:
    | { execution_id: string; round?: number }
    | { batch_id: string; round: number }
    | { id: string; budget: BudgetAlert }
    | { id: string; operator: OperatorEvent };
  /** Limits the delivery to the session's creator. */
  session_id?: string | null;
}

/**
 * Stores a delivery once per event, even if it is called repeatedly. Repeat it until it succeeds.
 *
 * @param keepMs time to keep the delivery after its last attempt
 * @returns Whether it is new.
 * @throws {ChorusError} `store_unavailable`
 */
export async function noteDelivery(
  { webhookDeliveries }: Pick<Database, 'webhookDeliveries'>,
  delivery: NewDelivery,
  keepMs: number,
): Promise<boolean> {
  const now = new Date();
  const { owner, event, url, subject, session_id = null } = delivery;
  const { round, id, ...ids } = { execution_id: null, batch_id: null, id: null, round: 0, ...subject };
  const record: WebhookDeliveryRecord = {
    id: id ?? deliveryId(ids.execution_id ?? ids.batch_id ?? '', round),
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
  return webhookDeliveries.insert(record);
}

/** Derives the same id for the same end. */
function deliveryId(subject: string, round: number): string {
  const id = dependentId('webhookDelivery', subject);
  if (round === 0) return id;
  const digest = createHash('sha256').update(`${subject}/${round}`).digest();
  const tail = Array.from(digest.subarray(0, RANDOM_DIGITS), (byte) => DIGITS[byte % DIGITS.length]);
  return id.slice(0, -RANDOM_DIGITS) + tail.join('');
}

/** Derives the same id for the same event. It sorts by the given time. */
export function eventId(from: Date, event: string): string {
  const bytes = createHash('sha256').update(event).digest().subarray(0, 16);
  bytes.writeUIntBE(from.getTime(), 0, 6);
  bytes[6] = 0x70 | ((bytes[6] as number) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f);
  return idOfBytes('webhookDelivery', bytes);
}

/** Stores the deliveries of ended executions. Returns whether more may be due. */
export async function noteExecutions(
  database: Pick<Database, 'executions' | 'webhookDeliveries'>,
  keepMs: number,
): Promise<boolean> {
  const wishes = await database.executions.listWebhooksDue(PAGE);
  if (wishes.length === 0) return false;
  await Promise.all(wishes.map((wish) => noteDelivery(database, deliveryOf(wish), keepMs)));
  await database.executions.markWebhooksStored(wishes.map(({ id }) => id));
  return wishes.length === PAGE;
}

/** Stores the deliveries of executions that wait for decisions. Returns whether more may be due. */
export async function noteWaiting(
  database: Pick<Database, 'executions' | 'webhookDeliveries'>,
  keepMs: number,
): Promise<boolean> {
  const due = await database.executions.listActionWebhooksDue(PAGE);
  if (due.length === 0) return false;
  await Promise.all(
    due.map(({ id, owner, session_id, webhook_url: url, attempt }) => {
      const subject = { execution_id: id, round: attempt };
      return noteDelivery(database, { owner, event: 'execution.requires_action', url, subject, session_id }, keepMs);
    }),
  );
  await database.executions.markActionWebhooksStored(due);
  return due.length === PAGE;
}

function deliveryOf({ id, owner, status, session_id, webhook_url }: DueWebhook): NewDelivery {
  const event = `execution.${status}` as WebhookEvent;
  return { owner, event, url: webhook_url, subject: { execution_id: id }, session_id };
}
