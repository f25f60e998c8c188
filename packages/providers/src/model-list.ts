import { type JsonLimits, JsonScan } from '@chorus/contract';
import type { Logger } from '@chorus/runtime/log';
import { z } from 'zod';
import type { CallStatus } from './call-status.ts';
import { capabilitiesOf } from './model-traits.ts';
import type { KnownModel } from './provider-port.ts';

const LIST_TIMEOUT_MS = 5_000;
const REFRESH_MS = 3 * 60_000;
const RETRY_MS = 15_000;
const MAX_MODELS = 2_000;
const MAX_BYTES = 8_000_000;
/** Far above any list, far below what blocks a process. */
const STRUCTURE: JsonLimits = { depth: 32, fields: 2_000, elements: 20_000, nodes: 400_000 };

export const modelId = z.string().min(1).max(200);

/** Reads a list of models. Skips malformed entries, so that they do not hide the others. */
export function modelsOf<Entry extends z.ZodType>(entry: Entry) {
  return z.array(z.unknown()).transform((given, context) => {
    const models = given.flatMap((one): z.output<Entry>[] => {
      const { success, data } = entry.safeParse(one);
      return success ? [data] : [];
    });
    if (models.length === 0 && given.length > 0) context.addIssue('has no model');
    return models;
  });
}

/** A valid count. Anything else counts as unknown. */
export const listedCount = z
  .number()
  .positive()
  .max(1e12)
  .nullish()
  .catch(undefined)
  .transform((given) => (given == null ? null : Math.round(given)));

const openaiModels = modelsOf(
  z.object({
    id: modelId,
    created: listedCount,
    context_window: listedCount,
    /** Field of OpenRouter and vLLM. */
    context_length: listedCount,
    max_model_len: listedCount,
  }),
);

/** Reads OpenAI's model list. Some servers add context windows, or send a bare array of models. */
export const openaiList = z
  .union([z.object({ data: openaiModels }).transform(({ data }) => data), openaiModels])
  .transform((models) =>
    models.map(
      ({ id, created, context_window, context_length, max_model_len }): KnownModel => ({
        id,
        created: created ?? 0,
        capabilities: capabilitiesOf(id),
        contextWindow: context_window ?? context_length ?? max_model_len,
      }),
    ),
  );

/**
 * Fetches a provider's models in the background, now and every three minutes (sooner after a failure). No call waits
 * for it, and a list stays until another replaces it.
 */
export class ModelList {
  models: KnownModel[] | null = null;
  /** Whether the first attempt has ended. */
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
      // Logs only the first of several failures: the provider's status shows the rest.
      if (!this.tried || this.#failed === false) log.warn({ reason: reasonOf(error) }, 'could not list models');
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
  schema: z.ZodType<KnownModel[]>;
  log: Logger;
  /** Updated if the list reflects the provider's status. */
  status?: CallStatus;
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  const scan = new JsonScan({ what: 'The list of models', path: 'list' }, STRUCTURE);
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error('the list is too long');
    scan.push(chunk);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Describes an error without addresses, which may hold credentials. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error.name === 'TimeoutError') return `no answer within ${LIST_TIMEOUT_MS} ms`;
  const { code } = (error.cause ?? {}) as { code?: string };
  return code ?? (error instanceof z.ZodError || error instanceof SyntaxError ? 'not a list of models' : error.message);
}
