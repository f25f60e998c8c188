import { CallAttempts, type CallFrame } from './call-attempts.ts';
import type { CallOptions } from './provider-port.ts';

/**
 * Runs one call of a provider package that answers at once and whole: an image, a transcript, embeddings.
 * @param mayRepeat asked of what was thrown before it is tried again, where that might do the same work twice
 */
export async function callModel<T>(
  frame: CallFrame,
  options: CallOptions,
  call: (abortSignal: AbortSignal) => PromiseLike<T>,
  mayRepeat: (thrown: unknown) => boolean = () => true,
): Promise<T> {
  const attempts = new CallAttempts(frame, options);
  for (;;) {
    const attempt = await attempts.enter();
    let pauseMs: number;
    try {
      const result = await call(attempt.watch.signal);
      attempts.succeeded(attempt);
      return result;
    } catch (thrown) {
      pauseMs = attempts.failed(attempt, thrown, !mayRepeat(thrown));
    } finally {
      attempt.watch.close();
      attempt.pass.leave();
    }
    await attempts.pause(pauseMs);
  }
}
