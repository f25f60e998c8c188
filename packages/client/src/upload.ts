import type { CallOptions } from './client-options.ts';
import { countedFetch, type UploadProgress } from './counted-fetch.ts';
import type { AnswerOf, FormOf } from './operations.ts';
import { readJson } from './read-json.ts';
import type { Transport } from './transport.ts';

export interface UploadOptions extends CallOptions {
  /** The same key a day long means the same upload. */
  idempotencyKey?: string | undefined;
  /** Told as the bytes go. When an attempt is lost it begins anew. */
  onProgress?: ((progress: UploadProgress) => void) | undefined;
}

type UploadRoute = 'POST /assets' | 'POST /console/knowledge/upload';

/** Sends a form with files. How long that takes is not limited. */
export function upload<Name extends UploadRoute>(
  transport: Transport,
  name: Name,
  form: FormOf<Name>,
  { onProgress, ...options }: UploadOptions = {},
): Promise<AnswerOf<Name>> {
  const files = Object.values(form as Record<string, unknown>).flat();
  const total = files.reduce((sum: number, file) => sum + (file instanceof Blob ? file.size : 0), 0);
  const own = onProgress && countedFetch(total, onProgress, transport.options.fetch);
  return transport.send(name, { form }, { ...options, timeoutMs: 0, fetch: own }, readJson<AnswerOf<Name>>);
}
