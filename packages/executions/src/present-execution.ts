import {
  type Asset,
  type AssetFacts,
  type Batch,
  type Execution,
  findKind,
  type OutputItem,
  type PresentedItem,
  presentUsage,
  type RequiredAction,
} from '@chorus/contract';
import type { BatchRecord, ExecutionRecord } from '@chorus/database';
import type { Addresses } from './addresses.ts';
import type { AssetUrls } from './asset-urls.ts';
import { progressOf } from './batch-progress.ts';
import type { LaneViews } from './lane-views.ts';
import { calledLane, laneOfExecution } from './queue-names.ts';

const NO_LANES: LaneViews = new Map();

/** Returns the decisions that an execution waits for. Null: none. */
export function requiredActionOf({
  status,
  approvals = [],
  approvals_expire_at: expires,
  output,
}: Pick<ExecutionRecord, 'status' | 'approvals' | 'approvals_expire_at' | 'output'>): RequiredAction | null {
  if (status !== 'requires_action' || expires === undefined) return null;
  const calls = new Map(output.flatMap((item) => (item.type === 'tool_call' ? [[item.id, item.arguments]] : [])));
  const tool_calls = approvals
    .filter(({ decision }) => decision === null)
    .map(({ tool_call_id, name }) => ({ tool_call_id, name, arguments: calls.get(tool_call_id) ?? '' }));
  return { type: 'approve_tool_calls', tool_calls, expires_at: expires.toISOString() };
}

/** @param lanes those of queued executions. Default: they are not shown */
export function presentExecution(
  record: ExecutionRecord,
  { baseUrl, assetUrls, traceUrl }: Addresses,
  lanes: LaneViews = NO_LANES,
): Execution {
  const self = `${baseUrl}/api/v1/jobs/${record.id}`;
  const execution: Execution = {
    id: record.id,
    object: 'execution',
    kind: record.kind,
    surface: record.surface,
    status: record.status,
    model: record.model,
    provider: record.provider,
    output: record.output.map((item) => presentItem(item, assetUrls)),
    progress: record.progress,
    waiting_for: lanes.get(awaitedLane(record) ?? '')?.waiting ?? null,
    required_action: requiredActionOf(record),
    usage: presentUsage(record.usage),
    context: record.context,
    warnings: record.warnings,
    error: record.error,
    attempt: record.attempt,
    retry_of: record.retry_of,
    session_id: record.session_id,
    message_id: record.message_id,
    batch_id: record.batch_id,
    metadata: record.metadata,
    user_id: record.owner.user_id,
    created_at: record.created_at.toISOString(),
    started_at: record.started_at?.toISOString() ?? null,
    finished_at: record.finished_at?.toISOString() ?? null,
    urls: {
      self,
      events: `${self}/events`,
      cancel: `${self}/cancel`,
      ...(traceUrl && record.trace_id && { trace: traceUrl.replaceAll('{trace_id}', record.trace_id) }),
    },
  };
  return findKind(record.kind)?.openAi?.present(execution, record.finish_reason) ?? execution;
}

/** Returns the lane that an execution may wait in now. Null: none. */
export function awaitedLane(
  record: Pick<ExecutionRecord, 'kind' | 'model' | 'status' | 'awaited_lane'> & { input?: Record<string, unknown> },
): string | null {
  if (record.status !== 'queued') return null;
  return record.awaited_lane ?? laneOfExecution(record) ?? calledLane(record);
}

/** @param lanes those of queued items. Default: they are not shown */
export function presentBatch(
  record: BatchRecord,
  { baseUrl }: Pick<Addresses, 'baseUrl'>,
  lanes: LaneViews = NO_LANES,
): Batch {
  const self = `${baseUrl}/api/v1/batches/${record.id}`;
  return {
    id: record.id,
    object: 'batch',
    kind: record.kind,
    status: record.status,
    counts: record.counts,
    progress: progressOf(record, lanes),
    economy: record.economy,
    webhook_url: record.webhook_url,
    metadata: record.metadata,
    user_id: record.owner.user_id,
    created_at: record.created_at.toISOString(),
    started_at: record.started_at?.toISOString() ?? null,
    expires_at: record.expires_at?.toISOString() ?? null,
    finished_at: record.finished_at?.toISOString() ?? null,
    urls: {
      self,
      events: `${self}/events`,
      items: `${self}/items`,
      results: `${self}/results`,
      cancel: `${self}/cancel`,
      retry: `${self}/retry`,
    },
  };
}

/** Returns an output item for clients. Does not read a store. */
export function presentItem(item: OutputItem, urls: AssetUrls): PresentedItem {
  if (item.type !== 'asset') return item;
  const { kind, width } = item.asset;
  // Generated images and videos always have a size, and videos a poster.
  const thumbnail = (kind === 'image' || kind === 'video') && width !== null;
  return { type: 'asset', asset: withUrls(item.asset, thumbnail, urls) };
}

/** Returns an asset for clients, with fresh URLs. */
export function withUrls(facts: AssetFacts, thumbnail: boolean, urls: AssetUrls): Asset {
  const { id } = facts;
  return {
    object: 'asset',
    ...facts,
    url: urls.sign(id, 'content'),
    thumbnail_url: thumbnail ? urls.sign(id, 'thumbnail') : null,
  };
}
