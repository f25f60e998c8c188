import type { Logger } from '@chorus/log';
import { z } from 'zod';
import type { CallStatus } from './call-status.ts';
import { capabilitiesOf } from './model-traits.ts';
import type { KnownModel } from './provider-port.ts';

const LIST_TIMEOUT_MS = 5_000;
const REFRESH_MS = 3 * 60_000;
const RETRY_MS = 15_000;
const MAX_MODELS = 2_000;
const MAX_BYTES = 8_000_000;

/** A model's name in a list. */
export const modelId = z.string().min(1).max(200);

/** The list that OpenAI gives, and most who speak its language; some tell the window of each model. */
export const openaiList = z
  .object({
    data: z.array(z.object({ id: modelId, created: z.number().optional(), context_window: z.number().nullish() })),
  })
  .transform(({ data }) =>
    data.map(
      ({ id, created, context_window }): KnownModel => ({
        id,
        created: created ?? 0,
        capabilities: capabilitiesOf(id),
        contextWindow: context_window ?? null,
      }),
    ),
  );

/**
 * A provider's models by its list, fetched in the background when it is made and every three minutes then (sooner after a
 * failure). Never waited for; what was once listed stays until a later list replaces it.
 */
export class ModelList {
  /** Null until a first list came. */
  models: KnownModel[] | null = null;
  /** Whether a first attempt has ended, well or not. */
  tried = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #closed = new AbortController();
  readonly #options: ModelListOptions;

  constructor(options: ModelListOptions) {
    this.#options = options;
    void this.#refresh();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#closed.abort();
  }

  async #refresh(): Promise<void> {
    const { url, headers, schema, log, status } = this.#options;
    let delay = REFRESH_MS;
    try {
      const signal = AbortSignal.any([this.#closed.signal, AbortSignal.timeout(LIST_TIMEOUT_MS)]);
      const response = await fetch(url, { headers, signal });
      if (!response.ok) {
        await response.body?.cancel();
        throw new Error(`HTTP ${response.status}`);
      }
      this.models = schema.parse(JSON.parse(await readText(response))).slice(0, MAX_MODELS);
      status?.listed(true);
    } catch (error) {
      if (this.#closed.signal.aborted) return;
      delay = RETRY_MS;
      // Only at the first failure of a row: the state is seen in the provider's status.
      if (!this.tried || this.#failed === false) log.warn({ reason: reasonOf(error) }, 'models could not be listed');
      this.#failed = true;
      status?.listed(false);
    }
    if (delay === REFRESH_MS) this.#failed = false;
    this.tried = true;
    this.#timer = setTimeout(() => void this.#refresh(), delay).unref();
  }

  #failed = false;
}

export interface ModelListOptions {
  url: string;
  headers: Record<string, string>;
  /** Reads the provider's answer. */
  schema: z.ZodType<KnownModel[]>;
  log: Logger;
  /** Told of each outcome, where a list says something of the provider's state. */
  status?: CallStatus;
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error('the list is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Short and without addresses, which may hold credentials. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error.name === 'TimeoutError') return `no answer within ${LIST_TIMEOUT_MS} ms`;
  const { code } = (error.cause ?? {}) as { code?: string };
  return code ?? (error instanceof z.ZodError || error instanceof SyntaxError ? 'not a list of models' : error.message);
}
