import { ChorusError } from '@chorus/contract';
import { z } from 'zod';
import { wasNotTaken } from '../video-port.ts';
import { formWith } from './batch-form.ts';
import type { BatchHttp } from './batch-http.ts';
import type { BatchState, BatchWire } from './batch-port.ts';
import { resultOf } from './openai-batches.ts';

/** A million requests may wait at once. A file has at most 512 MB. */
const LIMITS = { requests: 1_000_000, bytes: 500_000_000 };
const MARK = 'chorus_batch';
const SKEW_MS = 10 * 60_000;
const PAGE_SIZE = 100;
const MAX_PAGES = 100;

const file = z.object({ id: z.string() });
const fileId = z.string().nullish();
const job = z.object({
  id: z.string(),
  status: z.string(),
  input_files: z.array(z.string()).nullish(),
  output_file: fileId,
  error_file: fileId,
  errors: z.array(z.looseObject({ message: z.string().nullish() })).nullish(),
  total_requests: z.number().nullish(),
  succeeded_requests: z.number().nullish(),
  failed_requests: z.number().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
});
const jobList = z.object({ data: z.array(job).nullish() });

const ENDS: Partial<Record<string, 'ended' | 'expired' | 'cancelled' | 'failed'>> = {
  SUCCESS: 'ended',
  TIMEOUT_EXCEEDED: 'expired',
  CANCELLED: 'cancelled',
  FAILED: 'failed',
};

/** Batches of Mistral, which have one model for all requests. A job carries our key in its metadata. */
export function mistralBatches(http: BatchHttp): BatchWire {
  const pathOf = (id: string) => `/batch/jobs/${encodeURIComponent(id)}`;
  return {
    limits: LIMITS,
    endpoints: new Set(['chat/completions', 'embeddings']),
    write({ id, body: { model, ...body } }) {
      return JSON.stringify({ custom_id: id, body });
    },

    async submit({ path, endpoint, key, model }, options) {
      const form = await formWith(path, { purpose: 'batch' });
      const uploaded = await http.ask({ method: 'POST', path: '/files', ...form }, file, options);
      const body = {
        input_files: [uploaded.value.id],
        endpoint: `/v1/${endpoint}`,
        model,
        metadata: { [MARK]: key },
        timeout_hours: 24,
      };
      const ask = { method: 'POST', path: '/batch/jobs', body, mayRepeat: wasNotTaken } as const;
      return { id: (await http.ask(ask, job, options)).value.id, endpoint };
    },

    async find({ key, endpoint, submittedAt }, options) {
      const since = encodeURIComponent(new Date(submittedAt - SKEW_MS).toISOString());
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const path = `/batch/jobs?page=${page}&page_size=${PAGE_SIZE}&created_after=${since}`;
        const { data } = (await http.ask({ path }, jobList, options)).value;
        const found = data?.find(({ metadata }) => metadata?.[MARK] === key);
        if (found !== undefined) return { status: 'found', operation: { id: found.id, endpoint } };
        if ((data?.length ?? 0) < PAGE_SIZE) break;
      }
      return { status: 'missing' };
    },

    async poll({ id, endpoint }, options): Promise<BatchState> {
      const { value } = await http.ask({ path: pathOf(id) }, job, options);
      const { total_requests, succeeded_requests, failed_requests, output_file, error_file, errors } = value;
      const counts = { total: total_requests ?? 0, completed: succeeded_requests ?? 0, failed: failed_requests ?? 0 };
      const ended = ENDS[value.status];
      if (ended === undefined) return { status: 'pending', counts };
      const files = [output_file, error_file].filter((one) => one != null);
      if (ended === 'failed' && files.length === 0) {
        const reason = errors?.[0]?.message ?? 'it gave no reason';
        const error = new ChorusError('provider_error', `${http.frame.provider} did not run the batch: ${reason}`);
        return { status: 'failed', counts, error };
      }
      return {
        status: ended === 'failed' ? 'ended' : ended,
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
      const { value } = await http.ask({ path: pathOf(id) }, job, options);
      if (ENDS[value.status] !== undefined || value.status === 'CANCELLATION_REQUESTED') return;
      await http.ask({ method: 'POST', path: `${pathOf(id)}/cancel`, body: {} }, job, options);
    },

    async delete({ id }, options) {
      const { input_files, output_file, error_file } = (await http.ask({ path: pathOf(id) }, job, options)).value;
      for (const one of [...(input_files ?? []), output_file, error_file])
        if (one != null)
          await http.ask({ method: 'DELETE', path: `/files/${encodeURIComponent(one)}` }, z.unknown(), options);
    },
  };
}
