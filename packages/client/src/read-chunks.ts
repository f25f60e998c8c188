import { ChorusError } from './chorus-error.ts';

/**
 * The body of an answer, piece by piece. Ends with it; leaving the loop closes the connection.
 *
 * @param idleMs how long nothing may come
 * @throws {ChorusError} connection_lost when it breaks off, or nothing comes for too long; the signal's reason when that has come
 */
export async function* readChunks(
  response: Response,
  idleMs: number,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  if (response.body === null) return;
  const reader = response.body.getReader();
  let given: unknown;
  const give = (reason: unknown) => {
    given ??= reason;
    // What is being read answers with its end then.
    reader.cancel().catch(() => undefined);
  };
  const onAbort = () => give(signal?.reason);
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  let whole = false;
  try {
    for (;;) {
      const timer = setTimeout(() => give(lost(`Nothing came for ${Math.round(idleMs / 1_000)} s.`)), idleMs);
      const { done, value } = await reader.read().finally(() => clearTimeout(timer));
      if (given !== undefined) throw given;
      if (done) {
        whole = true;
        return;
      }
      yield value;
    }
  } catch (error) {
    if (given !== undefined) throw given;
    throw error instanceof ChorusError ? error : lost('The connection broke off.', error);
  } finally {
    signal?.removeEventListener('abort', onAbort);
    if (!whole) reader.cancel().catch(() => undefined);
  }
}

function lost(message: string, cause?: unknown): ChorusError {
  return new ChorusError('connection_lost', message, { status: 0, retryable: true, cause });
}
