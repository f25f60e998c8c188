import { openAsBlob } from 'node:fs';
import { z } from 'zod';
import type { CallOptions } from '../provider-port.ts';
import { wasNotTaken } from '../video-port.ts';
import type { BatchHttp } from './batch-http.ts';
import type { BatchEndpoint, BatchResult, BatchState, BatchWire, FoundBatch } from './batch-port.ts';
import { MARK_LENGTH, markOf } from './stage-batches.ts';

const LIMITS = { requests: 100_000, bytes: 256_000_000 };
const SKEW_MS = 10 * 60_000;
const MAX_PAGES = 100;

const count = z
  .number()
  .nullish()
  .transform((given) => given ?? 0);
const batch = z.object({
  id: z.string(),
  processing_status: z.string(),
  created_at: z.string(),
  cancel_initiated_at: z.string().nullish(),
  request_counts: z.object({ processing: count, succeeded: count, errored: count, canceled: count, expired: count }),
});
type Batch = z.infer<typeof batch>;
const batchList = z.object({
  data: z.array(batch),
  has_more: z.boolean().nullish(),
  last_id: z.string().nullish(),
});
const failure = z.looseObject({ error: z.looseObject({ type: z.string() }) });
const line = z.object({
  custom_id: z.string(),
  result: z.discriminatedUnion('type', [
    z.object({ type: z.literal('succeeded'), message: z.unknown() }),
    z.object({ type: z.literal('errored'), error: failure }),
    z.object({ type: z.literal('canceled') }),
    z.object({ type: z.literal('expired') }),
  ]),
});
type Line = z.infer<typeof line>;

const STATUSES: Partial<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  timeout_error: 504,
  overloaded_error: 529,
};

/**
 * Batches of Anthropic, whose requests are sent with the batch. A batch has no metadata. Our mark is in the ids of its
 * requests, which only the results show.
 */
export function anthropicBatches(http: BatchHttp): BatchWire {
  const pathOf = (id: string) => `/messages/batches/${encodeURIComponent(id)}`;
  const retrieve = async (id: string, options: CallOptions) =>
    (await http.ask({ path: pathOf(id) }, batch, options)).value;

  async function* resultsOf(id: string, options: CallOptions): AsyncGenerator<Line> {
    for await (const given of http.lines(`${pathOf(id)}/results`, options)) {
      const { data } = line.safeParse(given);
      if (data !== undefined) yield data;
    }
  }
  const hasMark = async ({ id }: Batch, mark: string, options: CallOptions): Promise<boolean> => {
    for await (const { custom_id } of resultsOf(id, options)) return custom_id.startsWith(mark);
    return false;
  };

  return {
    limits: LIMITS,
    endpoints: new Set(['messages']),
    frame: { head: '{"requests":[', between: ',', tail: ']}' },
    write: ({ id, body }, key) => JSON.stringify({ custom_id: `${markOf(key)}${id}`, params: body }),

    async submit({ path, endpoint, betas }, options) {
      const body = await openAsBlob(path);
      const headers = {
        'content-type': 'application/json',
        ...(betas.length > 0 && { 'anthropic-beta': betas.join(',') }),
      };
      const ask = { method: 'POST', path: '/messages/batches', body, headers, mayRepeat: wasNotTaken } as const;
      return { id: (await http.ask(ask, batch, options)).value.id, endpoint };
    },

    /** Batches of the same size are candidates until their results show whose they are. */
    async find({ key, endpoint, requests, submittedAt, known }, options): Promise<FoundBatch> {
      const since = submittedAt - SKEW_MS;
      let after = '';
      let isUnclear = false;
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const { value } = await http.ask({ path: `/messages/batches?limit=100${after}` }, batchList, options);
        for (const one of value.data) {
          if (totalOf(one) !== requests || known?.has(one.id) || Date.parse(one.created_at) < since) continue;
          if (one.processing_status !== 'ended') isUnclear = true;
          else if (await hasMark(one, markOf(key), options))
            return { status: 'found', operation: { id: one.id, endpoint } };
        }
        const last = value.data.at(-1);
        // The newest come first.
        if (!value.has_more || last === undefined || Date.parse(last.created_at) < since) break;
        after = `&after_id=${encodeURIComponent(value.last_id ?? last.id)}`;
      }
      return { status: isUnclear ? 'unclear' : 'missing' };
    },

    async poll({ id, endpoint }, options): Promise<BatchState> {
      const found = await retrieve(id, options);
      const { succeeded, errored, canceled, expired } = found.request_counts;
      const counts = { total: totalOf(found), completed: succeeded, failed: errored + canceled + expired };
      if (found.processing_status !== 'ended') return { status: 'pending', counts };
      return {
        status: canceled > 0 ? 'cancelled' : expired > 0 ? 'expired' : 'ended',
        counts,
        async *results(own) {
          for await (const given of resultsOf(id, own)) yield resultOf(given, endpoint);
        },
      };
    },

    async cancel({ id }, options) {
      const { processing_status } = await retrieve(id, options);
      if (processing_status !== 'in_progress') return;
      await http.ask({ method: 'POST', path: `${pathOf(id)}/cancel`, body: {} }, batch, options);
    },

    async delete({ id }, options) {
      await http.ask({ method: 'DELETE', path: pathOf(id) }, z.unknown(), options);
    },
  };
}

function resultOf({ custom_id, result }: Line, endpoint: BatchEndpoint): BatchResult {
  const id = custom_id.slice(MARK_LENGTH);
  switch (result.type) {
    case 'succeeded':
      return { id, answer: { endpoint, status: 200, body: result.message } };
    case 'errored':
      return { id, answer: { endpoint, status: STATUSES[result.error.error.type] ?? 500, body: result.error } };
    case 'canceled':
      return { id, ended: 'cancelled' };
    case 'expired':
      return { id, ended: 'expired' };
  }
}

function totalOf({ request_counts: { processing, succeeded, errored, canceled, expired } }: Batch): number {
  return processing + succeeded + errored + canceled + expired;
}
