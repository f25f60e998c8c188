import { isStoreUnavailable, scopeKey } from '@chorus/contract';
import type { Database, WebhookDeliveryRecord } from '@chorus/database';
import type { Logger } from '@chorus/runtime/log';
import { ATTEMPT_TIMEOUT_MS, type AttemptParts, attemptDelivery } from './attempt-delivery.ts';
import { noteExecutions, noteWaiting } from './note-deliveries.ts';
import { nextAttempt } from './retry-schedule.ts';

/** Concurrent attempts per host, per scope, and in total, so that a hanging receiver delays only its own. */
const LIMITS = { host: 4, scope: 16, all: 64 };

const LOOK_EVERY_MS = 4_000;

/** Longer than an attempt, so an older claim belongs to a dead process. */
const CLAIM_MS = ATTEMPT_TIMEOUT_MS + 11_000;

export interface DelivererParts extends AttemptParts {
  database: Pick<Database, 'executions' | 'webhookDeliveries' | 'webhookSecrets'>;
  log: Logger;
  /** Time to keep a delivery after its last attempt. */
  keepMs: number;
  nextAttempt?: typeof nextAttempt;
  /** Observes attempts, for metrics. */
  onTried?: (event: string, outcome: WebhookDeliveryRecord['status'], durationMs: number) => void;
}

/**
 * Delivers webhooks, in any number of processes. Each attempt is claimed in the store. The claims of a dead process
 * expire within half a minute.
 */
export class Deliverer {
  readonly #parts: DelivererParts;
  readonly #running = new Map<string, WebhookDeliveryRecord>();
  readonly #attempts = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  readonly #stop = new AbortController();
  #round: Promise<void> | null = null;
  #again = false;
  #closing = false;

  constructor(parts: DelivererParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.wake(), LOOK_EVERY_MS);
    this.wake();
  }

  /** Checks for due deliveries now, or after the current check. */
  wake(): void {
    if (this.#closing) return;
    this.#again = true;
    this.#round ??= this.#look().finally(() => {
      this.#round = null;
    });
  }

  /** Stops starting attempts, and waits up to `graceMs` for running ones. */
  async close(graceMs: number): Promise<void> {
    this.#closing = true;
    clearInterval(this.#timer);
    const late = setTimeout(() => this.#stop.abort(new Error('the process is stopping')), graceMs);
    await this.#round;
    await Promise.all(this.#attempts);
    clearTimeout(late);
  }

  async #look(): Promise<void> {
    while (this.#again && !this.#closing) {
      this.#again = false;
      try {
        while (await noteExecutions(this.#parts.database, this.#parts.keepMs));
        while (await noteWaiting(this.#parts.database, this.#parts.keepMs));
        while (await this.#begin());
      } catch (err) {
        this.#parts.log.warn({ err }, 'could not list due webhooks; trying again');
      }
    }
  }

  /** Starts due deliveries within the limits. Returns whether more may be due. */
  async #begin(): Promise<boolean> {
    const free = LIMITS.all - this.#running.size;
    if (free <= 0 || this.#closing) return false;
    const due = await this.#parts.database.webhookDeliveries.listDue({
      now: new Date(),
      limit: free,
      exceptHosts: this.#full('host', LIMITS.host),
      exceptScopes: this.#full('scope', LIMITS.scope),
    });
    let begun = 0;
    for (const record of due) if (this.#hasPlace(record) && (await this.#claim(record))) begun += 1;
    return begun > 0 && due.length === free;
  }

  async #claim(record: WebhookDeliveryRecord): Promise<boolean> {
    const until = new Date(Date.now() + CLAIM_MS);
    // Counts towards the limits during the call below.
    this.#running.set(record.id, record);
    const claimed = await this.#parts.database.webhookDeliveries.claim(record, until).catch((error) => {
      this.#running.delete(record.id);
      throw error;
    });
    if (!claimed) {
      this.#running.delete(record.id);
      return false;
    }
    const attempt = this.#attempt(record, until).finally(() => {
      this.#running.delete(record.id);
      this.#attempts.delete(attempt);
      this.wake();
    });
    this.#attempts.add(attempt);
    return true;
  }

  async #attempt(record: WebhookDeliveryRecord, until: Date): Promise<void> {
    const { database, log } = this.#parts;
    const about = { delivery_id: record.id, execution_id: record.execution_id, batch_id: record.batch_id };
    try {
      const { attempt, verdict, retryAfter } = await attemptDelivery(this.#parts, record, this.#stop.signal);
      const now = new Date();
      const { due_since: dueSince, tries } = record;
      const tried = { attempts: tries + 1, dueSince, now, retryAfter };
      const next = verdict === 'again' ? (this.#parts.nextAttempt ?? nextAttempt)(tried) : null;
      const status = verdict === 'delivered' ? 'delivered' : next === null ? 'failed' : 'pending';
      const ended_at = next === null ? now : null;
      await database.webhookDeliveries.recordAttempt(record.id, until, attempt, {
        status,
        next_attempt_at: next,
        ended_at,
      });
      const { status: answer, duration_ms } = attempt;
      this.#parts.onTried?.(record.event, status, duration_ms);
      log.info({ ...about, status, answer, duration_ms }, 'webhook tried');
    } catch (err) {
      if (this.#stop.signal.aborted) {
        // Another process takes it immediately, or after the claim expires.
        await database.webhookDeliveries.release(record.id, until, new Date()).catch(() => undefined);
        return;
      }
      const away = isStoreUnavailable(err);
      log[away ? 'warn' : 'error']({ err, ...about }, 'webhook attempt failed; it is retried after its claim expires');
    }
  }

  #hasPlace(record: WebhookDeliveryRecord): boolean {
    return (
      !this.#running.has(record.id) &&
      this.#countOf('host', record.host) < LIMITS.host &&
      this.#countOf('scope', scopeKey(record.owner)) < LIMITS.scope
    );
  }

  #countOf(by: 'host' | 'scope', name: string): number {
    let count = 0;
    for (const record of this.#running.values()) if (nameOf(by, record) === name) count += 1;
    return count;
  }

  #full(by: 'host' | 'scope', limit: number): string[] {
    const names = new Set(Array.from(this.#running.values(), (record) => nameOf(by, record)));
    return [...names].filter((name) => this.#countOf(by, name) >= limit);
  }
}

const nameOf = (by: 'host' | 'scope', record: WebhookDeliveryRecord): string =>
  by === 'host' ? record.host : scopeKey(record.owner);
