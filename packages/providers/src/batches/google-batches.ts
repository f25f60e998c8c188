import { openAsBlob } from 'node:fs';
import { ChorusError } from '@chorus/contract';
import { z } from 'zod';
import { OWN_HOST } from '../adapters/google-media.ts';
import { toFailure } from '../provider-failure.ts';
import type { CallOptions } from '../provider-port.ts';
import { wasNotTaken } from '../video-port.ts';
import type { BatchHttp } from './batch-http.ts';
import type { BatchEndpoint, BatchResult, BatchState, BatchWire } from './batch-port.ts';

/** Files have at most 2 GB. Google does not limit the number of requests. */
const LIMITS = { requests: 50_000, bytes: 1_000_000_000 };
const FILE_TYPE = 'application/jsonl';
const MAX_PAGES = 100;
const METHODS: Partial<Record<BatchEndpoint, string>> = {
  generateContent: 'batchGenerateContent',
  embedContent: 'asyncBatchEmbedContent',
};

const file = z.object({ file: z.object({ name: z.string() }) });
/** Google sends numbers as strings. */
const count = z.coerce.number().catch(0);
const status = z.looseObject({ code: z.number().nullish(), message: z.string().nullish() });
const item = z.object({
  key: z.string().nullish(),
  metadata: z.object({ key: z.string().nullish() }).nullish(),
  response: z.unknown().optional(),
  error: status.nullish(),
});
const output = z
  .object({
    responsesFile: z.string().nullish(),
    inlinedResponses: z.object({ inlinedResponses: z.array(z.unknown()).nullish() }).nullish(),
  })
  .nullish();
const operation = z.object({
  name: z.string(),
  done: z.boolean().nullish(),
  error: status.nullish(),
  response: output,
  metadata: z
    .object({
      state: z.string().nullish(),
      displayName: z.string().nullish(),
      inputConfig: z.object({ fileName: z.string().nullish() }).nullish(),
      output,
      batchStats: z.object({ requestCount: count, successfulRequestCount: count, failedRequestCount: count }).nullish(),
    })
    .nullish(),
});
type Operation = z.infer<typeof operation>;
const operationList = z.object({ operations: z.array(operation).nullish(), nextPageToken: z.string().nullish() });

/** HTTP statuses by the code of an RPC. */
const STATUSES = [200, 499, 500, 400, 504, 404, 409, 403, 429, 400, 409, 400, 501, 500, 503, 500, 401];

/** Batches of Google, by file. Our key is the name of the batch. */
export function googleBatches(http: BatchHttp, { baseUrl }: { baseUrl: string }): BatchWire {
  const retrieve = async (name: string, options: CallOptions): Promise<Operation> =>
    (await http.ask({ path: `/${name}` }, operation, options)).value;
  /** Uploads and downloads have a prefix before the version. */
  const besideVersion = (prefix: string, path: string) => baseUrl.replace(/(\/v1\w*)?$/, `/${prefix}$1${path}`);

  const upload = async (path: string, name: string, options: CallOptions): Promise<string> => {
    const body = await openAsBlob(path);
    const start = {
      method: 'POST',
      path: besideVersion('upload', '/files'),
      body: { file: { display_name: name } },
      headers: {
        'x-goog-upload-protocol': 'resumable',
        'x-goog-upload-command': 'start',
        'x-goog-upload-header-content-length': String(body.size),
        'x-goog-upload-header-content-type': FILE_TYPE,
      },
    } as const;
    const { headers } = await http.ask(start, z.unknown(), options);
    const place = headers.get('x-goog-upload-url');
    // Only Google's host and ours may see the key.
    if (place === null || ![OWN_HOST, new URL(baseUrl).hostname].includes(new URL(place).hostname))
      throw new ChorusError('provider_error', 'google sent no valid address for a file');
    const rest = {
      method: 'POST',
      path: place,
      body,
      headers: {
        'content-type': FILE_TYPE,
        'x-goog-upload-offset': '0',
        'x-goog-upload-command': 'upload, finalize',
      },
      mayRepeat: () => false, // the address works once
    } as const;
    return (await http.ask(rest, file, options)).value.file.name;
  };

  return {
    limits: LIMITS,
    endpoints: new Set(['generateContent', 'embedContent']),
    write: ({ id, body }) => JSON.stringify({ key: id, request: body }),

    async submit({ path, endpoint, key, model }, options) {
      const fileName = await upload(path, key, options);
      const ask = {
        method: 'POST',
        path: `/models/${model}:${METHODS[endpoint]}`,
        body: { batch: { displayName: key, inputConfig: { fileName } } },
        mayRepeat: wasNotTaken,
      } as const;
      return { id: (await http.ask(ask, operation, options)).value.name, endpoint };
    },

    async find({ key, endpoint }, options) {
      let token = '';
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const { value } = await http.ask({ path: `/batches?pageSize=100${token}` }, operationList, options);
        const found = value.operations?.find(({ metadata }) => metadata?.displayName === key);
        if (found !== undefined) return { status: 'found', operation: { id: found.name, endpoint } };
        if (!value.nextPageToken) break;
        token = `&pageToken=${encodeURIComponent(value.nextPageToken)}`;
      }
      return { status: 'missing' };
    },

    async poll({ id, endpoint }, options): Promise<BatchState> {
      const found = await retrieve(id, options);
      const { requestCount = 0, successfulRequestCount = 0, failedRequestCount = 0 } = found.metadata?.batchStats ?? {};
      const counts = { total: requestCount, completed: successfulRequestCount, failed: failedRequestCount };
      const ended = endOf(found);
      if (ended === null) return { status: 'pending', counts };
      if (ended === 'failed') {
        const error = { ...found.error, code: toHttp(found.error?.code) };
        return { status: 'failed', counts, error: toFailure({ error }, http.frame).error };
      }
      const { responsesFile, inlinedResponses } = found.response ?? found.metadata?.output ?? {};
      return {
        status: ended,
        counts,
        async *results(own) {
          for (const given of inlinedResponses?.inlinedResponses ?? []) yield* resultOf(given, endpoint);
          if (responsesFile != null)
            for await (const given of http.lines(
              besideVersion('download', `/${responsesFile}:download?alt=media`),
              own,
            ))
              yield* resultOf(given, endpoint);
        },
      };
    },

    async cancel({ id }, options) {
      if (endOf(await retrieve(id, options)) !== null) return;
      await http.ask({ method: 'POST', path: `/${id}:cancel`, body: {} }, z.unknown(), options);
    },

    async delete({ id }, options) {
      const { response, metadata } = await retrieve(id, options);
      const files = [metadata?.inputConfig?.fileName, (response ?? metadata?.output)?.responsesFile];
      for (const one of files)
        if (one != null) await http.ask({ method: 'DELETE', path: `/${one}` }, z.unknown(), options);
      await http.ask({ method: 'DELETE', path: `/${id}` }, z.unknown(), options);
    },
  };
}

/** Returns how a batch ended. Null: it has not. */
function endOf({ done, error, metadata }: Operation): 'ended' | 'expired' | 'cancelled' | 'failed' | null {
  // Older names begin with `JOB_STATE_`.
  switch (metadata?.state?.replace(/^(BATCH|JOB)_STATE_/, '')) {
    case 'SUCCEEDED':
    case 'PARTIALLY_SUCCEEDED':
      return 'ended';
    case 'CANCELLED':
      return 'cancelled';
    case 'EXPIRED':
      return 'expired';
    case 'FAILED':
      return 'failed';
  }
  if (!done) return null;
  if (error == null) return 'ended';
  return error.code === CANCELLED ? 'cancelled' : 'failed';
}

const CANCELLED = 1;

function* resultOf(given: unknown, endpoint: BatchEndpoint): Generator<BatchResult, void, undefined> {
  const { data } = item.safeParse(given);
  const id = data?.key ?? data?.metadata?.key;
  if (data === undefined || id == null) return;
  const { response, error } = data;
  if (error == null) yield { id, answer: { endpoint, status: 200, body: response } };
  else if (error.code === CANCELLED) yield { id, ended: 'cancelled' };
  else yield { id, answer: { endpoint, status: toHttp(error.code), body: { error } } };
}

function toHttp(code: number | null | undefined): number {
  return code == null ? 500 : (STATUSES[code] ?? code);
}
