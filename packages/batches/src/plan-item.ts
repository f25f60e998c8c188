import {
  BATCH_BODIES,
  type BatchBody,
  type BatchKind,
  ChorusError,
  describeIssues,
  type ErrorBody,
  type JobKind,
  type Owner,
  parseBounded,
  toErrorBody,
} from '@chorus/contract';
import type { BatchItemRecord, BatchRecord } from '@chorus/database';
import { mergeBody } from './check-item.ts';
import { type ReferredExecution, resolveReferences } from './references.ts';

/** What an item runs. */
export interface PlannedItem {
  kind: JobKind;
  model: string | null;
  input: Record<string, unknown>;
  metadata: Record<string, string>;
  webhook_url: string | null;
}

/**
 * Makes of a request what runs, as its route does.
 *
 * @param at where the request stands, for errors
 * @throws {ChorusError} what is wrong with it; `overloaded` or `store_unavailable`: it can be tried later
 */
export type Planner = <K extends BatchKind>(
  kind: K,
  request: BatchBody<K>,
  owner: Owner,
  at: string,
) => Promise<Pick<PlannedItem, 'kind' | 'model' | 'input'>>;

/** A plan; or why the item fails; or that it can't be said now. */
export type ItemPlan = { plan: PlannedItem } | { error: ErrorBody; cause: unknown } | 'later';

/** Plans an item: its body with the batch's defaults, what it refers to in its place, read as a request of its kind. */
export async function planItem(
  planner: Planner,
  batch: Pick<BatchRecord, 'owner' | 'request_id' | 'kind'>,
  defaults: Record<string, unknown>,
  item: BatchItemRecord,
  executionOf: (item: string) => ReferredExecution | undefined,
): Promise<ItemPlan> {
  const at = `body.items.${item.index}.body`;
  try {
    const merged = mergeBody({ kind: batch.kind, defaults }, item.kind, item.body);
    const body = item.after.length === 0 ? merged : resolveReferences(merged, executionOf, at);
    const request = parse(item.kind, body, at);
    const planned = await planner(item.kind, request, batch.owner, at);
    const { metadata, webhook_url = null } = request as { metadata?: Record<string, string>; webhook_url?: string };
    return { plan: { ...planned, metadata: metadata ?? {}, webhook_url } };
  } catch (error) {
    const known = asChorusError(error);
    if (known.code === 'overloaded' || known.code === 'store_unavailable') return 'later';
    return { error: toErrorBody(known, batch.request_id), cause: error };
  }
}

/** An error without a code of the table says nothing of its cause. */
export function asChorusError(error: unknown): ChorusError {
  return error instanceof ChorusError
    ? error
    : new ChorusError('internal_error', 'Something went wrong here; the log has it.');
}

function parse<K extends BatchKind>(kind: K, body: unknown, at: string): BatchBody<K> {
  const schema = BATCH_BODIES[kind];
  const parsed = parseBounded(schema, body);
  if (parsed.success) return parsed.data as BatchBody<K>;
  const details = describeIssues(schema, parsed.error.issues, at);
  const [first] = details;
  throw new ChorusError('invalid_request', first ? `${first.path}: ${first.message}` : `${at} is invalid.`, {
    details,
  });
}
