import { ChorusError, type ErrorBody, toErrorBody } from '@chorus/contract';
import type { BatchRecord } from '@chorus/database';

/** Returns whether the items of a batch may no longer start. */
export const hasExpired = ({ expires_at }: Pick<BatchRecord, 'expires_at'>): boolean =>
  expires_at !== null && expires_at.getTime() <= Date.now();

/** Returns the error of the items that had not started. */
export function expiryError({ expires_at, request_id, files }: BatchRecord): ErrorBody {
  // Batches from files cannot be retried.
  const advice = files === null ? 'Retry the batch to run it.' : 'Create another batch to run it.';
  return toErrorBody(
    new ChorusError('expired', `Not started before the batch expired at ${expires_at?.toISOString()}. ${advice}`),
    request_id,
  );
}
