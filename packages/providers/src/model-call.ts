import { CallAttempts, type CallFrame } from './call-attempts.ts';
import type { CallOptions } from './provider-port.ts';

/** Runs one call of a provider package that answers at once and whole: an image, a transcript, embeddings. */
export async function callModel<T>(
  frame: CallFrame,
  options: CallOptions,
  call: (abortSignal: AbortSignal) => PromiseLike<T>,
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
      pauseMs = attempts.failed(attempt, thrown, false);
    } finally {
      attempt.watch.close();
      attempt.pass.leave();
    }
    await attempts.pause(pauseMs);
  }
}
