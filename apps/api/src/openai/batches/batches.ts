import { createFileBatch } from '@chorus/batches';
import { assetOfFileId, batchOfPublicId, ChorusError, mayChange, metadata } from '@chorus/contract';
import type { FileBatchRecord } from '@chorus/database';
import { BATCHES_CHANNEL } from '@chorus/events';
import { z } from 'zod';
import { checkUnfinished } from '../../batches/create-batch.ts';
import { defineRoute } from '../../define-route.ts';
import type { ScopedContext } from '../../http/request-context.ts';
import { unknownRecord } from '../../http/unknown-record.ts';
import { noteIgnored } from '../../protocols/check-fields.ts';
import { expiresAfter, type FileAsset, isFile } from '../files/file-object.ts';
import { openAiListOf, presentList } from '../openai-list.ts';
import { BATCH_URLS, batchEndpoint } from './batch-endpoints.ts';
import { batchObject, presentFileBatch, statusOf } from './batch-object.ts';
import { readBatchLines } from './read-batch-lines.ts';

const WINDOW_MS = 24 * 3_600_000;

const params = { file_batch_id: 'fileBatch' } as const;

const creation = z.looseObject({
  input_file_id: z.string().max(200),
  endpoint: z.enum(BATCH_URLS),
  completion_window: z.literal('24h', { error: 'must be 24h' }),
  metadata: metadata.nullish(),
  output_expires_after: expiresAfter.nullish(),
});

export const createOpenAiBatch = defineRoute({
  method: 'post',
  at: 'openai',
  path: '/batches',
  area: 'openai',
  summary: 'Create a batch from a file',
  description:
    'The file (`purpose: batch`) has a request per line: `{"custom_id", "method": "POST", "url", "body"}`. If a line is no request, the batch has the status `failed`, ' +
    '`errors` names the lines, and nothing runs. Requests that their endpoint refuses fail alone. When the batch has ended, `output_file_id` and `error_file_id` name files with the results. ' +
    'Requests that have not started after 24 hours expire. It is also a batch of `/api/v1/batches`, with the same number in its id.',
  needs: 'run',
  rateClass: 'executions',
  body: creation,
  answer: batchObject,
  refuses: ['limit_reached', 'payload_too_large'],
  handle: async ({ body, context }) => {
    const { services, owner, requestId, agent, credential } = context;
    const { database, assets, eventLog, config } = services;
    noteIgnored(context.response, creation, body);
    await checkUnfinished(services, owner);
    const input = await inputOf(context, body.input_file_id, config.limits.batchUploadBytes);
    const endpoint = batchEndpoint(body.endpoint);
    const batch = await createFileBatch(database, {
      owner,
      agentId: agent?.id ?? null,
      apiKeyId: credential.key?.id ?? null,
      requestId,
      metadata: body.metadata ?? {},
      files: {
        endpoint: body.endpoint,
        input: input.id,
        keep_s: body.output_expires_after?.seconds ?? null,
      },
      expiresAt: new Date(Date.now() + WINDOW_MS),
      lines: readBatchLines(() => assets.read(input), endpoint, requestId),
    });
    if (batch.status === 'running') {
      eventLog.wake(BATCHES_CHANNEL);
      eventLog.publishToFeed(owner, {
        type: 'batch.created',
        batch_id: batch.id,
        status: batch.status,
        counts: batch.counts,
      });
    }
    return presentFileBatch(batch);
  },
});

export const listOpenAiBatches = defineRoute({
  method: 'get',
  at: 'openai',
  path: '/batches',
  area: 'openai',
  summary: 'List batches that were created from files',
  description: 'Newest first.',
  needs: 'read',
  query: z.strictObject({
    limit: z.coerce.number().int().min(1).max(100).default(20),
    after: z.string().max(100).optional().describe('The last id of the previous page'),
  }),
  answer: openAiListOf(batchObject, 100),
  handle: async ({ query: { limit, after }, owner, services }) => {
    const last = after === undefined ? undefined : (batchOfPublicId(after) ?? after);
    const page = await services.database.fileBatches.list(owner, { limit, after: last });
    return presentList(page.data.map(presentFileBatch), page.has_more);
  },
});

export const getOpenAiBatch = defineRoute({
  method: 'get',
  at: 'openai',
  path: '/batches/:file_batch_id',
  area: 'openai',
  summary: 'Get a batch that was created from a file',
  needs: 'read',
  params,
  answer: batchObject,
  handle: async ({ params, context }) => presentFileBatch(await find(context, params.file_batch_id)),
});

export const cancelOpenAiBatch = defineRoute({
  method: 'post',
  at: 'openai',
  path: '/batches/:file_batch_id/cancel',
  area: 'openai',
  summary: 'Cancel a batch that was created from a file',
  description: 'Finished requests stay in its output file. Editors can cancel their own batches, admins all.',
  needs: 'run',
  params,
  answer: batchObject,
  refuses: ['conflict'],
  handle: async ({ params, context, role, owner, services }) => {
    const found = await find(context, params.file_batch_id);
    if (!mayChange(role, owner, found.owner))
      throw new ChorusError('role_forbidden', 'Another member made this; an admin can cancel it.');
    const status = statusOf(found);
    if (status !== 'in_progress' && status !== 'cancelling')
      throw new ChorusError('conflict', `A batch with the status ${status} cannot be cancelled.`);
    await services.database.batches.markCancelling(found.owner, found.id);
    services.eventLog.wake(BATCHES_CHANNEL);
    return presentFileBatch(await find(context, params.file_batch_id));
  },
});

async function find({ services, owner }: ScopedContext, publicId: string): Promise<FileBatchRecord> {
  const id = batchOfPublicId(publicId);
  const record = id === null ? null : await services.database.fileBatches.get(owner, id);
  if (record === null) throw unknownRecord('fileBatch');
  return record;
}

async function inputOf({ services, owner }: ScopedContext, fileId: string, maxBytes: number): Promise<FileAsset> {
  const assetId = assetOfFileId(fileId);
  const file = assetId === null ? null : await services.assets.get(owner, assetId);
  if (!isFile(file)) throw invalidInput('is not a file of this scope');
  if (file.file.purpose !== 'batch') throw invalidInput(`must have the purpose batch, not ${file.file.purpose}`);
  if (file.size_bytes <= maxBytes) return file;
  const message = `names a file of more than ${maxBytes} bytes, the most for a batch (BATCH_UPLOAD_LIMIT_BYTES)`;
  const path = 'body.input_file_id';
  throw new ChorusError('payload_too_large', `${path}: ${message}`, { details: [{ path, message }] });
}

function invalidInput(message: string): ChorusError {
  const path = 'body.input_file_id';
  return new ChorusError('invalid_request', `${path}: ${message}`, { details: [{ path, message }] });
}
