import { type FeedEvent, findKind, type OutputItem } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { BATCH_ENDS_CHANNEL, type EventLog, WEBHOOKS_CHANNEL } from '@chorus/events';

type Announcer = Pick<EventLog, 'publishToFeed' | 'wake' | 'noteEnd'>;

/** Fields of an execution that every event includes. */
export type Announced = Pick<ExecutionRecord, 'id' | 'owner' | 'kind' | 'session_id' | 'batch_id'>;

const MAX_LISTED = 20;

const aboutOf = ({ id, kind, session_id, batch_id }: Announced) => ({
  execution_id: id,
  kind,
  surface: findKind(kind)?.surface ?? null,
  session_id,
  batch_id,
});

export function announceQueued(
  { publishToFeed }: Pick<Announcer, 'publishToFeed'>,
  record: Announced & Pick<ExecutionRecord, 'model'>,
): void {
  const { owner, model } = record;
  publishToFeed(owner, { type: 'execution.queued', ...aboutOf(record), status: 'queued', model });
}

export function announceStarted(
  { publishToFeed }: Pick<Announcer, 'publishToFeed'>,
  execution: Announced,
  attempt: number,
): void {
  publishToFeed(execution.owner, { type: 'execution.started', ...aboutOf(execution), status: 'running', attempt });
}

export function announceProgress(
  { publishToFeed }: Pick<Announcer, 'publishToFeed'>,
  execution: Announced,
  progress: NonNullable<ExecutionRecord['progress']>,
): void {
  publishToFeed(execution.owner, { type: 'execution.progress', ...aboutOf(execution), status: 'running', progress });
}

export function announceCancelling({ publishToFeed }: Pick<Announcer, 'publishToFeed'>, execution: Announced): void {
  publishToFeed(execution.owner, { type: 'execution.cancelling', ...aboutOf(execution), status: 'cancelling' });
}

export function announceRequiredAction(
  { publishToFeed, wake }: Pick<Announcer, 'publishToFeed' | 'wake'>,
  record: ExecutionRecord,
): void {
  if (record.webhook_url) wake(WEBHOOKS_CHANNEL);
  const waiting = (record.approvals ?? []).filter(({ decision }) => decision === null);
  const tool_calls = waiting.slice(0, MAX_LISTED).map(({ tool_call_id, name }) => ({ tool_call_id, name }));
  publishToFeed(record.owner, {
    type: 'execution.requires_action',
    ...aboutOf(record),
    status: 'requires_action',
    tool_calls,
  });
}

/**
 * Announces a stored end in the feed, and wakes webhook delivery and batch feeding. Does not wait.
 * Idempotent: after a crash another process may announce the end again.
 */
export function announceEnd({ publishToFeed, wake, noteEnd }: Announcer, record: ExecutionRecord): void {
  if (record.webhook_url) wake(WEBHOOKS_CHANNEL);
  if (record.batch_id) wake(BATCH_ENDS_CHANNEL);
  else noteEnd(record.owner.user_id, record.id);
  const { owner, status, model, attempt, usage, error, output } = record;
  const type = `execution.${status}` as 'execution.succeeded';
  const asset_ids = output.flatMap((item) => (item.type === 'asset' ? [item.asset.id] : []));
  publishToFeed(owner, {
    type,
    ...aboutOf(record),
    status,
    model,
    attempt,
    duration_ms: durationOf(record),
    usage,
    output: output.slice(0, MAX_LISTED).map(({ type }: OutputItem) => type),
    asset_ids: asset_ids.slice(0, MAX_LISTED),
    error: error && { code: error.code, message: error.message },
  } satisfies FeedEvent);
}

/** Returns the run time of an execution. Null if it never started, or has not ended. */
export function durationOf({
  started_at,
  finished_at,
}: Pick<ExecutionRecord, 'started_at' | 'finished_at'>): number | null {
  return started_at && finished_at ? finished_at.getTime() - started_at.getTime() : null;
}
