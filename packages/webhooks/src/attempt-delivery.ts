import { ChorusError, type WebhookPayload } from '@chorus/contract';
import type { Database, WebhookAttempt, WebhookDeliveryRecord } from '@chorus/database';
import { type Outbound, type PostAnswer, RequestFailure } from '@chorus/outbound';
import { signedHeaders } from './signature.ts';
import { signingSecrets } from './webhook-secrets.ts';

/** What a delivery tells of, as it is shown now; null: it is not kept any more. */
export type LoadSubject = (
  delivery: WebhookDeliveryRecord,
) => Promise<{ data: Record<string, unknown>; at: Date } | null>;

export interface AttemptParts {
  database: Pick<Database, 'webhookSecrets'>;
  outbound: Pick<Outbound, 'postJson'>;
  load: LoadSubject;
}

/** `over`: trying again is in vain. */
export interface AttemptEnd {
  attempt: WebhookAttempt;
  verdict: 'delivered' | 'over' | 'again';
  retryAfter: string | null;
}

/** A receiver has so long from the first look at its name, in milliseconds. */
export const ATTEMPT_TIMEOUT_MS = 15_000;

/** A webhook says that something happened; who wants much output asks for it. */
const MAX_PAYLOAD_BYTES = 262_144;

const GONE = 410;

/**
 * Tells of it once. What the receiver answers decides: 2xx is success, 410 ends it, and all else is tried again.
 *
 * @throws {ChorusError} `store_unavailable`; or the signal's reason
 */
export async function attemptDelivery(
  { database, outbound, load }: AttemptParts,
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
  if (subject === null) return end('over', 'What it tells of is not kept any more.');
  const body = bodyOf({ type: delivery.event, timestamp: subject.at.toISOString(), data: subject.data });
  const secrets = await signingSecrets(database, delivery.owner, startedAt);
  try {
    const headers = signedHeaders({ id: delivery.id, body, at: startedAt }, secrets);
    const answer = await outbound.postJson(delivery.url, body, { headers, timeoutMs: ATTEMPT_TIMEOUT_MS, signal });
    if (answer.status >= 200 && answer.status < 300) return end('delivered', null, answer);
    return end(answer.status === GONE ? 'over' : 'again', `The receiver answers with status ${answer.status}.`, answer);
  } catch (error) {
    if (error instanceof RequestFailure) return end('again', error.message);
    // Its name may be public again at the next attempt.
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
