import type { LanguageModelV4, SharedV4Warning } from '@ai-sdk/provider';
import type { AnswerBody } from './answer-body.ts';
import type { CallWatch } from './call-watch.ts';
import { TruncatedStream } from './failure-facts.ts';

/**
 * Starts a request through a package, and intercepts the body of the answer.
 *
 * @param check Receives the package's warnings about the request. Null avoids their cost.
 */
export async function takeBody(
  start: () => ReturnType<LanguageModelV4['doStream']>,
  watch: CallWatch,
  check: ((warnings: readonly SharedV4Warning[]) => void) | null,
): Promise<AnswerBody> {
  if (check === null) {
    // The package never receives an answer, which saves its cost.
    return new Promise((resolve, reject) => {
      watch.bodyTaker = (body) => {
        resolve(body);
        return null;
      };
      start().then(() => reject(new TruncatedStream()), reject);
    });
  }
  // The package's stream begins with the warnings, even for an empty answer.
  const taken: { body: AnswerBody | null } = { body: null };
  watch.bodyTaker = (body) => {
    taken.body = body;
    return new Uint8Array();
  };
  const { value } = await (await start()).stream.getReader().read();
  if (value?.type === 'stream-start') check(value.warnings);
  if (taken.body === null) throw new TruncatedStream();
  return taken.body;
}
