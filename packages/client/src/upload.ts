import type { CallOptions } from './client-options.ts';
import type { AnswerOf, FormOf } from './operations.ts';
import type { Transport } from './transport.ts';

export interface UploadOptions extends CallOptions {
  idempotencyKey?: string | undefined;
}

type UploadRoute = 'POST /assets' | 'POST /console/knowledge/upload';

/** Sends a form with files. How long that takes is not limited. */
export function upload<Name extends UploadRoute>(
  transport: Transport,
  name: Name,
  form: FormOf<Name>,
  options: UploadOptions = {},
): Promise<AnswerOf<Name>> {
  return transport.send(
    name,
    { form },
    { ...options, timeoutMs: 0 },
    async (response) => (await response.json()) as AnswerOf<Name>,
  );
}
