import { ChorusError, type ErrorCode } from '@chorus/contract';
import type { BatchPartRecord } from '@chorus/database';
import type { BatchEndpoint, Batches, BatchOperation, CallOptions } from '@chorus/providers';

/** Errors after which another attempt may succeed. Others mean that the provider does not know the batch any more. */
const TEMPORARY: ReadonlySet<ErrorCode> = new Set([
  'provider_error',
  'provider_unavailable',
  'provider_rate_limited',
  'provider_auth',
  'timeout',
]);

/**
 * Cancels a part at its provider, and deletes it there with its files. Can be repeated.
 *
 * @param known ids of other batches
 * @returns whether nothing is left; else, the provider must be asked again
 */
export async function eraseAtProvider(
  batches: Batches,
  part: BatchPartRecord,
  known: ReadonlySet<string>,
  options: CallOptions,
): Promise<boolean> {
  let operation = part.operation as BatchOperation | null;
  if (operation === null) {
    const { id: key, model, ids, submitted_at } = part;
    const endpoint = part.endpoint as BatchEndpoint;
    const submittedAt = submitted_at?.getTime() ?? 0;
    const found = await batches.find({ key, model, endpoint, requests: ids.length, submittedAt, known }, options);
    if (found.status !== 'found') return found.status === 'missing';
    operation = found.operation;
  }
  try {
    await batches.cancel(operation, options);
    const { status } = await batches.poll(operation, options);
    if (status === 'pending') return false;
    await batches.delete(operation, options);
    return true;
  } catch (error) {
    options.signal.throwIfAborted();
    if (!(error instanceof ChorusError) || TEMPORARY.has(error.code)) throw error;
    return true;
  }
}
