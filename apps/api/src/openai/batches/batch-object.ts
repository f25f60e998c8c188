import { fileIdOf, publicBatchId, storedMetadata } from '@chorus/contract';
import type { FileBatchRecord } from '@chorus/database';
import { z } from 'zod';
import { seconds } from '../files/file-object.ts';

const STATUSES = [
  'validating',
  'failed',
  'in_progress',
  'finalizing',
  'completed',
  'expired',
  'cancelling',
  'cancelled',
] as const;
type Status = (typeof STATUSES)[number];

const time = z.int().nullable().describe('Unix seconds');

export const batchObject = z.object({
  id: z.string().describe('`batch_…`'),
  object: z.literal('batch'),
  endpoint: z.string(),
  errors: z
    .object({
      object: z.literal('list'),
      data: z
        .array(
          z.object({ code: z.string(), message: z.string(), param: z.string().nullable(), line: z.int().nullable() }),
        )
        .max(100),
    })
    .nullable()
    .describe('Why the file was refused, up to 100 problems'),
  input_file_id: z.string(),
  completion_window: z.literal('24h'),
  status: z.enum(STATUSES),
  output_file_id: z.string().nullable().describe('The results, when the batch has ended'),
  error_file_id: z.string().nullable().describe('The requests without a result, when the batch has ended'),
  created_at: z.int().describe('Unix seconds'),
  in_progress_at: time,
  expires_at: time,
  finalizing_at: time,
  completed_at: time,
  failed_at: time,
  expired_at: time,
  cancelling_at: time,
  cancelled_at: time,
  request_counts: z.object({ total: z.int(), completed: z.int(), failed: z.int() }),
  metadata: storedMetadata.nullable(),
});

export function presentFileBatch(batch: FileBatchRecord): z.output<typeof batchObject> {
  const { files, counts, metadata, created_at, started_at, cancelling_at, expires_at, finished_at } = batch;
  const status = statusOf(batch);
  const at = (when: Date | null) => when && seconds(when);
  const endedAs = (wanted: Status) => (status === wanted ? at(files.written_at ?? finished_at) : null);
  const isValid = status !== 'validating' && status !== 'failed';
  const wasCancelled = cancelling_at !== null && !files.expired;
  return {
    id: publicBatchId(batch.id),
    object: 'batch',
    endpoint: files.endpoint,
    errors: files.problems.length > 0 ? { object: 'list', data: files.problems } : null,
    input_file_id: fileIdOf(files.input),
    completion_window: '24h',
    status,
    output_file_id: files.output && fileIdOf(files.output),
    error_file_id: files.errors && fileIdOf(files.errors),
    created_at: seconds(created_at),
    in_progress_at: isValid ? at(started_at ?? created_at) : null,
    expires_at: at(expires_at),
    finalizing_at: isValid && !wasCancelled ? at(finished_at) : null,
    completed_at: endedAs('completed'),
    failed_at: endedAs('failed'),
    expired_at: endedAs('expired'),
    cancelling_at: wasCancelled ? at(cancelling_at) : null,
    cancelled_at: endedAs('cancelled'),
    request_counts: {
      total: counts.total,
      completed: counts.succeeded,
      failed: counts.failed + counts.skipped,
    },
    metadata: Object.keys(metadata).length > 0 ? metadata : null,
  };
}

export function statusOf({ status, files, counts }: FileBatchRecord): Status {
  const isWritten = files.written_at !== null;
  switch (status) {
    case 'creating':
      return 'validating';
    case 'failed':
      return 'failed';
    case 'running':
      return 'in_progress';
    case 'completed':
      if (!isWritten) return 'finalizing';
      return counts.expired > 0 ? 'expired' : 'completed';
    case 'cancelling':
      return files.expired ? 'finalizing' : 'cancelling';
    case 'cancelled':
      if (files.expired) return isWritten ? 'expired' : 'finalizing';
      return isWritten ? 'cancelled' : 'cancelling';
    default:
      return status satisfies never;
  }
}
