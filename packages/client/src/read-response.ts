import { createParser } from 'eventsource-parser';
import { ChorusError, chorusError } from './chorus-error.ts';

/**
 * Parses a JSON object.
 *
 * @throws {ChorusError} `unexpected_answer` for anything else
 */
export function parseJson<T>(text: string, status = 200): T {
  let value: unknown;
  let cause: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    cause = error;
  }
  if (typeof value !== 'object' || value === null) throw unexpected(status, { cause });
  return value as T;
}

/** Reads a response as JSON. */
export async function readJson<T>(response: Response): Promise<T> {
  return parseJson<T>(await response.text(), response.status);
}

/** Returns the error for a response that is not from Chorus. */
export function unexpected(status: number, more: { cause?: unknown; retryable?: boolean } = {}): ChorusError {
  const message = 'The answer is not from Chorus. Check baseUrl.';
  return chorusError('unexpected_answer', message, { status, ...more });
}

/**
 * Iterates over the body of a response. Leaving the loop closes the connection.
 *
 * @param idleMs maximum silence
 * @throws {ChorusError} `connection_lost` if it is interrupted or silent for too long;
 *   the reason of the signal when it aborts
 */
async function* readChunks(response: Response, idleMs: number, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  if (response.body === null) return;
  const reader = response.body.getReader();
  let failure: unknown;
  const fail = (reason: unknown) => {
    failure ??= reason;
    // The pending read then resolves as done.
    reader.cancel().catch(() => undefined);
  };
  const onAbort = () => fail(signal?.reason);
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  let isComplete = false;
  try {
    for (;;) {
      const timer = setTimeout(() => fail(lost(`Nothing came for ${Math.round(idleMs / 1_000)} s.`)), idleMs);
      const { done, value } = await reader.read().finally(() => clearTimeout(timer));
      if (failure !== undefined) throw failure;
      if (done) {
        isComplete = true;
        return;
      }
      yield value;
    }
  } catch (error) {
    if (failure !== undefined) throw failure;
    throw error instanceof ChorusError ? error : lost('The connection broke off.', error);
  } finally {
    signal?.removeEventListener('abort', onAbort);
    if (!isComplete) reader.cancel().catch(() => undefined);
  }
}

function lost(message: string, cause?: unknown): ChorusError {
  return chorusError('connection_lost', message, { status: 0, retryable: true, cause });
}

/** An event may contain the text of a book. */
const MAX_EVENT_CHARS = 128 * 1024 * 1024;

/** An event of a `text/event-stream`. */
interface RawEvent {
  /** Id to resume after. Null: that of the previous event. */
  id: string | null;
  data: string;
}

/** Iterates over the events of a response. */
export async function* readEvents(response: Response, idleMs: number, signal?: AbortSignal): AsyncGenerator<RawEvent> {
  const events: RawEvent[] = [];
  const parser = createParser({
    onEvent: ({ id, data }) => events.push({ id: id ?? null, data }),
    maxBufferSize: MAX_EVENT_CHARS,
  });
  const decoder = new TextDecoder();
  for await (const chunk of readChunks(response, idleMs, signal)) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* events.splice(0);
  }
}

/** Iterates over the complete, non-empty lines of a response. */
export async function* readLines(response: Response, idleMs: number, signal?: AbortSignal): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  // A line may have megabytes in thousands of pieces, so the pieces are joined once.
  let pieces: string[] = [];
  for await (const chunk of readChunks(response, idleMs, signal)) {
    const [head = '', ...more] = decoder.decode(chunk, { stream: true }).split('\n');
    pieces.push(head);
    for (const next of more) {
      const line = pieces.join('');
      pieces = [next];
      if (line.trim() !== '') yield line;
    }
  }
}
