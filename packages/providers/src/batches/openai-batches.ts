import { ChorusError } from '@chorus/contract';
import { z } from 'zod';
import { toFailure } from '../provider-failure.ts';
import type { CallOptions } from '../provider-port.ts';
import { wasNotTaken } from '../video-port.ts';
import { formWith } from './batch-form.ts';
import type { BatchHttp } from './batch-http.ts';
import type { BatchEndpoint, BatchLimits, BatchResult, BatchState, BatchWire } from './batch-port.ts';

export const OPENAI_LIMITS: BatchLimits = { requests: 50_000, bytes: 200_000_000, texts: 50_000 };

/** The name of our mark in the metadata of a batch. */
const MARK = 'chorus_batch';
/** How much clocks may differ. */
const SKEW_MS = 10 * 60_000;
const MAX_PAGES = 100;

const file = z.object({ id: z.string() });
const fileId = z.string().nullish();
const batch = z.object({
  id: z.string(),
  status: z.string(),
  created_at: z.number().nullish(),
  input_file_id: fileId,
  output_file_id: fileId,
  error_file_id: fileId,
  errors: z
    .object({ data: z.array(z.looseObject({ message: z.string().nullish(), code: z.string().nullish() })) })
    .nullish(),
  request_counts: z.object({ total: z.number(), completed: z.number(), failed: z.number() }).nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
});
type Batch = z.infer<typeof batch>;
const batchList = z.object({
  data: z.array(batch),
  has_more: z.boolean().nullish(),
  /** Groq's next page. */
  paging: z.object({ next_cursor: z.string().nullish() }).nullish(),
});
const line = z.object({
  custom_id: z.string(),
  response: z.object({ status_code: z.number(), body: z.unknown() }).nullish(),
  error: z.looseObject({ code: z.string().nullish(), message: z.string().nullish() }).nullish(),
});

/** Batches of OpenAI, and of Groq, which copied them. A batch carries our key in its metadata. */
export function openaiBatches(http: BatchHttp, endpoints: readonly BatchEndpoint[], limits = OPENAI_LIMITS): BatchWire {
  const retrieve = async (id: string, options: CallOptions): Promise<Batch> =>
    (await http.ask({ path: `/batches/${encodeURIComponent(id)}` }, batch, options)).value;

  return {
    limits,
    endpoints: new Set(endpoints),
    write: ({ id, endpoint, body }) => JSON.stringify({ custom_id: id, method: 'POST', url: `/v1/${endpoint}`, body }),

    async submit({ path, endpoint, key }, options) {
      const form = await formWith(path, { purpose: 'batch' });
      const uploaded = await http.ask({ method: 'POST', path: '/files', ...form }, file, options);
      const body = {
        input_file_id: uploaded.value.id,
        endpoint: `/v1/${endpoint}`,
        completion_window: '24h',
        metadata: { [MARK]: key },
      };
      const ask = { method: 'POST', path: '/batches', body, mayRepeat: wasNotTaken } as const;
      return { id: (await http.ask(ask, batch, options)).value.id, endpoint };
    },

    async find({ key, endpoint, submittedAt }, options) {
      let after = '';
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const { value } = await http.ask({ path: `/batches?limit=100${after}` }, batchList, options);
        const found = value.data.find(({ metadata }) => metadata?.[MARK] === key);
        if (found !== undefined) return { status: 'found', operation: { id: found.id, endpoint } };
        const last = value.data.at(-1);
        // The newest come first.
        if (last === undefined || (last.created_at ?? Number.POSITIVE_INFINITY) * 1000 < submittedAt - SKEW_MS) break;
        const cursor = value.paging?.next_cursor;
        if (cursor) after = `&cursor=${encodeURIComponent(cursor)}`;
        else if (value.has_more) after = `&after=${encodeURIComponent(last.id)}`;
        else break;
      }
      return { status: 'missing' };
    },

    async poll({ id, endpoint }, options): Promise<BatchState> {
      const found = await retrieve(id, options);
      const { total = 0, completed = 0, failed = 0 } = found.request_counts ?? {};
      const counts = { total, completed, failed };
      const ended = ENDS[found.status];
      if (ended === undefined) return { status: 'pending', counts };
      if (ended === 'failed') return { status: 'failed', counts, error: failureOf(found, http) };
      const files = [found.output_file_id, found.error_file_id].filter((one) => one != null);
      return {
        status: ended,
        counts,
        async *results(own) {
          for (const one of files)
            for await (const given of http.lines(`/files/${encodeURIComponent(one)}/content`, own)) {
              const result = resultOf(given, endpoint);
              if (result !== null) yield result;
            }
        },
      };
    },

    async cancel({ id }, options) {
      const { status } = await retrieve(id, options);
      if (ENDS[status] !== undefined || status === 'cancelling') return;
      await http.ask({ method: 'POST', path: `/batches/${encodeURIComponent(id)}/cancel`, body: {} }, batch, options);
    },

    async delete({ id }, options) {
      const { input_file_id, output_file_id, error_file_id } = await retrieve(id, options);
      for (const one of [input_file_id, output_file_id, error_file_id])
        if (one != null)
          await http.ask({ method: 'DELETE', path: `/files/${encodeURIComponent(one)}` }, z.unknown(), options);
    },
  };
}

const ENDS: Partial<Record<string, 'ended' | 'expired' | 'cancelled' | 'failed'>> = {
  completed: 'ended',
  expired: 'expired',
  cancelled: 'cancelled',
  failed: 'failed',
};

/** Reads a line of the file with answers, or of the one with errors. Null: it is malformed. */
export function resultOf(given: unknown, endpoint: BatchEndpoint): BatchResult | null {
  const { data } = line.safeParse(given);
  if (data === undefined) return null;
  const { custom_id: id, response, error } = data;
  if (error?.code === 'batch_expired') return { id, ended: 'expired' };
  if (error?.code === 'batch_cancelled') return { id, ended: 'cancelled' };
  if (response != null) return { id, answer: { endpoint, status: response.status_code, body: parsed(response.body) } };
  return error == null ? null : { id, answer: { endpoint, status: 500, body: { error } } };
}

/** Some servers send errors as text. */
function parsed(body: unknown): unknown {
  if (typeof body !== 'string') return body;
  try {
    return JSON.parse(body);
  } catch {
    return { error: { message: body } };
  }
}

/** Explains why a whole batch failed: its file was refused, or too many requests of the account wait already. */
function failureOf({ errors }: Batch, { frame }: BatchHttp): ChorusError {
  const [first] = errors?.data ?? [];
  const code = /token_limit|quota|rate_limit/.test(first?.code ?? '') ? 'provider_rate_limited' : 'provider_error';
  const { message } = toFailure({ error: first ?? { message: 'it gave no reason' } }, frame).error;
  return new ChorusError(code, message, code === 'provider_rate_limited' ? { retryAfterS: FULL_RETRY_S } : {});
}

/** Asks again after this time if the account's queue for batches is full. */
const FULL_RETRY_S = 300;
