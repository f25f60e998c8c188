import type { LanguageModelV4, SharedV4Warning } from '@ai-sdk/provider';
import type { AnswerBody } from './answer-body.ts';
import type { CallWatch } from './call-watch.ts';
import { TruncatedStream } from './provider-failure.ts';

/**
 * Starts a request through a package, and takes the body of the answer away from it.
 *
 * @param check receives the package's warnings about the request; null spares their cost
 */
export async function takeBody(
  start: () => ReturnType<LanguageModelV4['doStream']>,
  watch: CallWatch,
  check: ((warnings: readonly SharedV4Warning[]) => void) | null,
): Promise<AnswerBody> {
  if (check === null) {
    // The package never gets an answer, which costs nothing.
    return new Promise((resolve, reject) => {
      watch.bodyTaker = (body) => {
        resolve(body);
        return null;
      };
      start().then(() => reject(new TruncatedStream()), reject);
    });
  }
  // Warnings are the first part of the package's stream, here of an empty answer.
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
