import {
  BATCH_BODIES,
  type BatchBody,
  type BatchKind,
  ChorusError,
  describeIssues,
  type ErrorBody,
  parseBounded,
  toErrorBody,
} from '@chorus/contract';
import type { AgentRecord, BatchItemRecord, BatchRecord } from '@chorus/database';
import type { Work } from '@chorus/executions';
import type { ItemRequester } from '@chorus/jobs';
import { mergeBody } from './check-item.ts';
import { type ReferredExecution, resolveReferences } from './references.ts';

export interface PlannedItem {
  work: Work;
  metadata: Record<string, string>;
  webhook_url: string | null;
}

/**
 * Plans a request as its route does.
 *
 * @throws {ChorusError} why it is invalid; `overloaded` or `store_unavailable` if it can be retried
 */
export type Planner = <K extends BatchKind>(kind: K, request: BatchBody<K>, requester: ItemRequester) => Promise<Work>;

export type ItemPlan = { plan: PlannedItem } | { error: ErrorBody; cause: unknown } | 'later';

export interface ItemPlanning {
  planner: Planner;
  batch: Pick<BatchRecord, 'owner' | 'request_id' | 'api_key_id' | 'agent_id' | 'kind'>;
  defaults: Record<string, unknown>;
  /** The batch's agent. Null if there is none, or it was deleted. */
  agent: AgentRecord | null;
}

/** Plans an item: merges defaults, resolves references, and parses the body as a request of its kind. */
export async function planItem(
  { planner, batch, defaults, agent }: ItemPlanning,
  item: BatchItemRecord,
  executionOf: (item: string) => ReferredExecution | undefined,
  earlier: Pick<ItemRequester, 'retryOf' | 'begunAs'>,
): Promise<ItemPlan> {
  const at = `body.items.${item.index}.body`;
  try {
    if (batch.agent_id !== null && agent === null)
      throw new ChorusError('not_found', 'The agent of this batch was deleted.');
    const merged = mergeBody({ kind: batch.kind, defaults }, item.kind, item.body);
    const body = item.after.length === 0 ? merged : resolveReferences(merged, executionOf, at);
    const request = parse(item.kind, body, at);
    const { owner, request_id: requestId, api_key_id: apiKeyId } = batch;
    const work = await planner(item.kind, request, { owner, agent, apiKeyId, requestId, path: at, ...earlier });
    const { metadata, webhook_url = null } = request as { metadata?: Record<string, string>; webhook_url?: string };
    return { plan: { work, metadata: metadata ?? {}, webhook_url } };
  } catch (error) {
    const known = asChorusError(error);
    if (known.code === 'overloaded' || known.code === 'store_unavailable') return 'later';
    return { error: toErrorBody(known, batch.request_id), cause: error };
  }
}

/** Hides the cause of an unexpected error. */
export function asChorusError(error: unknown): ChorusError {
  return error instanceof ChorusError
    ? error
    : new ChorusError('internal_error', 'Internal error. See the server log.');
}

function parse<K extends BatchKind>(kind: K, body: unknown, at: string): BatchBody<K> {
  const schema = BATCH_BODIES[kind];
  const parsed = parseBounded(schema, body);
  if (parsed.success) return parsed.data as BatchBody<K>;
  const details = describeIssues(parsed.error.issues, at);
  const [first] = details;
  throw new ChorusError('invalid_request', first ? `${first.path}: ${first.message}` : `${at} is invalid.`, {
    details,
  });
}
