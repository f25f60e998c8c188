import { ChorusError } from './chorus-error.ts';
import type { ClientOptions } from './client-options.ts';
import { unexpected } from './read-json.ts';
import { growingWait, wait } from './wait.ts';

/** How a stream is connected: `open` while events can come. */
export type ConnectionState = 'connecting' | 'open' | 'waiting';

export interface FollowOptions {
  signal?: AbortSignal | undefined;
  /** Told whenever the connection is made, lost, or waited for. */
  onConnection?: ((state: ConnectionState) => void) | undefined;
}

/** One thing that came, and whether it is the last. */
export interface Step<T> {
  value: T;
  last?: boolean;
}

export interface Followed<T> extends FollowOptions {
  /** What is read: an answer of another type is none of the platform's. */
  type: 'text/event-stream' | 'application/x-ndjson';
  /** Makes a connection that begins where the one before ended. */
  open(): Promise<Response>;
  /** What comes on a connection. Returns `true` where nothing can come after its end. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a generator that only ends
  read(response: Response): AsyncGenerator<Step<T>, boolean | void>;
  limits: Pick<ClientOptions, 'streamGiveUpMs'>;
}

/** The longest wait between two attempts to go on, in milliseconds. */
const MAX_WAIT_MS = 15_000;

/** A connection that stood so long was one, although nothing came. */
const STOOD_MS = 1_000;

/**
 * What comes on one connection after the other, until the last has come. Goes on by itself after a lost connection, and waits longer and longer while none can be
 * made; leaving the loop closes the connection.
 *
 * @throws {ChorusError} what refuses it; unexpected_answer when something else than the platform answers; connection_lost when nothing came for `streamGiveUpMs`. The signal's reason when that has come
 */
export async function* follow<T>({ type, open, read, limits, signal, onConnection }: Followed<T>): AsyncGenerator<T> {
  const giveUpMs = limits.streamGiveUpMs ?? 300_000;
  let heardAt = Date.now();
  let begun = false;
  for (let attempt = 0; ; attempt++) {
    let error: unknown;
    try {
      signal?.throwIfAborted();
      onConnection?.('connecting');
      const response = await open();
      // A page that stands in for the platform for a while, as gateways have it, is waited out; one that was there from the beginning is not.
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
          heardAt = Date.now();
          attempt = 0;
          yield step.value.value;
          if (step.value.last) return;
        }
      } finally {
        if (Date.now() - openedAt > STOOD_MS) heardAt = Date.now();
        await steps.return(undefined);
      }
    } catch (thrown) {
      error = thrown;
    }
    signal?.throwIfAborted();
    if (error !== undefined && !(error instanceof ChorusError && error.retryable && begun)) throw error;
    if (Date.now() - heardAt > giveUpMs)
      throw error ?? new ChorusError('connection_lost', 'The stream ends again and again.', { status: 0 });
    onConnection?.('waiting');
    const retryAfterMs = error instanceof ChorusError ? (error.retryAfterMs ?? 0) : 0;
    await wait(Math.max(retryAfterMs, growingWait(attempt, MAX_WAIT_MS)), signal);
  }
}
