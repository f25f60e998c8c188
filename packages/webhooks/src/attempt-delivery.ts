import { ChorusError, type WebhookPayload } from '@chorus/contract';
import type { Database, WebhookAttempt, WebhookDeliveryRecord } from '@chorus/database';
import { type Outbound, type PostAnswer, RequestFailure } from '@chorus/outbound';
import { signedHeaders } from './signature.ts';
import { signingSecrets } from './webhook-secrets.ts';

/** Returns the delivery's subject as the API shows it; null: it no longer exists. */
export type LoadSubject = (
  delivery: WebhookDeliveryRecord,
) => Promise<{ data: Record<string, unknown>; at: Date } | null>;

export interface AttemptParts {
  database: Pick<Database, 'webhookSecrets'>;
  outbound: Pick<Outbound, 'postJson'>;
  load: LoadSubject;
  /** Sign events for operators, newest first. Absent: there are no such events. */
  operatorSecrets?: readonly string[];
}

/** `over`: a retry cannot succeed. */
export interface AttemptEnd {
  attempt: WebhookAttempt;
  verdict: 'delivered' | 'over' | 'again';
  retryAfter: string | null;
}

/** Includes the DNS lookup. */
export const ATTEMPT_TIMEOUT_MS = 15_000;

/** Larger outputs are left out of the payload. */
const MAX_PAYLOAD_BYTES = 262_144;

const GONE = 410;

/**
 * Sends a delivery once. A 2xx response is success, 410 ends it, and anything else is retried.
 *
 * @throws {ChorusError} `store_unavailable`; or the signal's reason
 */
export async function attemptDelivery(
  { database, outbound, load, operatorSecrets = [] }: AttemptParts,
  delivery: WebhookDeliveryRecord,
  signal: AbortSignal,
): Promise<AttemptEnd> {
  const startedAt = new Date();
  const begun = performance.now();
  const end = (verdict: AttemptEnd['verdict'], error: string | null, answer?: PostAnswer): AttemptEnd => ({
    attempt: {
      started_at: startedAt,
      duration_ms: Math.round(performance.now() - begun),
      status: answer?.status ?? null,
      error,
    },
    verdict,
    retryAfter: answer?.retryAfter ?? null,
  });

  const subject = await load(delivery);
  if (subject === null) return end('over', 'The execution or batch no longer exists.');
  const body = bodyOf({ type: delivery.event, timestamp: subject.at.toISOString(), data: subject.data });
  const isForOperators = delivery.operator !== undefined;
  if (isForOperators && operatorSecrets.length === 0) return end('over', 'OPERATOR_WEBHOOK_SECRET is not set.');
  const secrets = isForOperators ? operatorSecrets : await signingSecrets(database, delivery.owner, startedAt);
  try {
    const headers = signedHeaders({ id: delivery.id, body, at: startedAt }, secrets);
    const answer = await outbound.postJson(delivery.url, body, { headers, timeoutMs: ATTEMPT_TIMEOUT_MS, signal });
    if (answer.status >= 200 && answer.status < 300) return end('delivered', null, answer);
    return end(answer.status === GONE ? 'over' : 'again', `The receiver answers with status ${answer.status}.`, answer);
  } catch (error) {
    if (error instanceof RequestFailure) return end('again', error.message);
    // The name may resolve to a public address at the next attempt.
    if (error instanceof ChorusError && error.code === 'url_not_allowed') return end('again', error.message);
    throw error;
  }
}

function bodyOf(payload: WebhookPayload): string {
  const whole = JSON.stringify(payload);
  if (Buffer.byteLength(whole) <= MAX_PAYLOAD_BYTES) return whole;
  const { output: _output, choices: _choices, ...data } = payload.data;
  return JSON.stringify({ ...payload, data: { ...data, output: [], output_omitted: true } });
}
