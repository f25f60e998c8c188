import { mayChange, type Owner, type Role, type WebhookDelivery } from '@chorus/contract';
import type { WebhookDeliveryRecord } from '@chorus/database';

/**
 * Formats a delivery. Its URL may contain a secret, so only admins see more than the host for other members'
 * deliveries.
 */
export function presentDelivery(record: WebhookDeliveryRecord, asking: Owner, role: Role): WebhookDelivery {
  const { id, event, execution_id, batch_id, budget, url, status, attempt_count, attempts } = record;
  const whole = mayChange(role, asking, record.owner);
  return {
    id,
    object: 'webhook_delivery',
    event,
    execution_id,
    batch_id,
    budget: budget?.subject ?? null,
    url: whole ? url : `${URL.parse(url)?.origin ?? ''}/…`,
    status,
    attempt_count,
    attempts: attempts.map((attempt) => ({ ...attempt, started_at: attempt.started_at.toISOString() })),
    next_attempt_at: record.next_attempt_at?.toISOString() ?? null,
    created_at: record.created_at.toISOString(),
    ended_at: record.ended_at?.toISOString() ?? null,
  };
}
