import { ChorusError, chorusError } from './chorus-error.ts';
import type { CallOptions, ClientOptions } from './client-options.ts';
import { unexpected } from './read-response.ts';
import { backoff, wait } from './timing.ts';

/** State of a connection: `open` while events can arrive, `waiting` before a reconnect. */
export type ConnectionState = 'connecting' | 'open' | 'waiting';

/** Options of calls that follow a stream over several connections. */
export interface FollowOptions extends CallOptions {
  /** Called when the connection opens, is lost, or is about to reconnect. */
  onConnection?: ((state: ConnectionState) => void) | undefined;
}

/** A value, and whether it is the last. */
export interface Step<T> {
  value: T;
  last?: boolean;
}

export interface Followed<T> extends FollowOptions {
  /** Expected Content-Type. Any other response is not from Chorus. */
  type: 'text/event-stream' | 'application/x-ndjson';
  /** Opens a connection that continues where the last one ended. */
  open(): Promise<Response>;
  /** Reads a connection. Returns `true` if nothing can follow. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a generator that only ends
  read(response: Response): AsyncGenerator<Step<T>, boolean | void>;
  limits: Pick<ClientOptions, 'streamGiveUpMs'>;
}

/** Maximum pause between two attempts to reconnect. */
const MAX_WAIT_MS = 15_000;

/** A connection that was open for this long counts as alive, even without data. */
const ALIVE_AFTER_MS = 1_000;

/**
 * Iterates over the values of one connection after the other, until the last value.
 *
 * Reconnects after a lost connection, with growing pauses. Leaving the loop closes the connection.
 *
 * @throws {ChorusError} the refusal of the server; `unexpected_answer` if the response is not from Chorus;
 *   `connection_lost` if nothing arrives for `streamGiveUpMs`; the reason of the signal when it aborts
 */
export async function* follow<T>({ type, open, read, limits, signal, onConnection }: Followed<T>): AsyncGenerator<T> {
  const giveUpMs = limits.streamGiveUpMs ?? 300_000;
  let aliveAt = Date.now();
  let begun = false;
  for (let attempt = 0; ; attempt++) {
    let error: unknown;
    try {
      signal?.throwIfAborted();
      onConnection?.('connecting');
      const response = await open();
      // Retries after an error page of a gateway, unless it was the first response.
      if (!response.headers.get('content-type')?.startsWith(type)) {
        response.body?.cancel().catch(() => undefined);
        throw unexpected(response.status, { retryable: begun });
      }
      begun = true;
      onConnection?.('open');
      const openedAt = Date.now();
      const steps = read(response);
      try {
        for (;;) {
          const step = await steps.next();
          if (step.done) {
            if (step.value === true) return;
            break;
          }
          aliveAt = Date.now();
          attempt = 0;
          yield step.value.value;
          if (step.value.last) return;
        }
      } finally {
        if (Date.now() - openedAt > ALIVE_AFTER_MS) aliveAt = Date.now();
        await steps.return(undefined);
      }
    } catch (thrown) {
      error = thrown;
    }
    signal?.throwIfAborted();
    if (error !== undefined && !(error instanceof ChorusError && error.retryable && begun)) throw error;
    if (Date.now() - aliveAt > giveUpMs)
      throw error ?? chorusError('connection_lost', 'The stream keeps breaking off.', { status: 0 });
    onConnection?.('waiting');
    const retryAfterMs = error instanceof ChorusError ? (error.retryAfterMs ?? 0) : 0;
    await wait(Math.max(retryAfterMs, backoff(attempt, MAX_WAIT_MS)), signal);
  }
}
