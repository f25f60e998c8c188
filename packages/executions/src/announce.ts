import type { FeedEvent, OutputItem } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { BATCH_ENDS_CHANNEL, type EventLog, WEBHOOKS_CHANNEL } from '@chorus/events';

type Telling = Pick<EventLog, 'tell' | 'wake' | 'noteEnd'>;

/** What all events of an execution say of it. */
export type Announced = Pick<ExecutionRecord, 'id' | 'owner' | 'kind' | 'session_id' | 'batch_id'>;

const MAX_LISTED = 20;

const aboutOf = ({ id, kind, session_id, batch_id }: Announced) => ({ execution_id: id, kind, session_id, batch_id });

/** Tells the feed of its scope that an execution waits for a worker. */
export function announceQueued(
  { tell }: Pick<Telling, 'tell'>,
  record: Announced & Pick<ExecutionRecord, 'model'>,
): void {
  const { owner, model } = record;
  tell(owner, { type: 'execution.queued', ...aboutOf(record), status: 'queued', model });
}

export function announceStarted({ tell }: Pick<Telling, 'tell'>, execution: Announced, attempt: number): void {
  tell(execution.owner, { type: 'execution.started', ...aboutOf(execution), status: 'running', attempt });
}

export function announceProgress(
  { tell }: Pick<Telling, 'tell'>,
  execution: Announced,
  progress: NonNullable<ExecutionRecord['progress']>,
): void {
  tell(execution.owner, { type: 'execution.progress', ...aboutOf(execution), status: 'running', progress });
}

export function announceCancelling({ tell }: Pick<Telling, 'tell'>, execution: Announced): void {
  tell(execution.owner, { type: 'execution.cancelling', ...aboutOf(execution), status: 'cancelling' });
}

/**
 * Tells the feed of an end that is stored, and wakes whoever delivers webhooks or feeds batches. Not waited for. Can be repeated: where a process died between
 * storing and telling, another tells it, perhaps once more.
 */
export function announceEnd({ tell, wake, noteEnd }: Telling, record: ExecutionRecord): void {
  if (record.webhook_url) wake(WEBHOOKS_CHANNEL);
  if (record.batch_id) wake(BATCH_ENDS_CHANNEL);
  else noteEnd(record.owner.user_id, record.id);
  const { owner, status, model, attempt, usage, error, output } = record;
  const type = `execution.${status}` as 'execution.succeeded';
  const asset_ids = output.flatMap((item) => (item.type === 'asset' ? [item.asset.id] : []));
  tell(owner, {
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

function durationOf({ started_at, finished_at }: Pick<ExecutionRecord, 'started_at' | 'finished_at'>): number | null {
  return started_at && finished_at ? finished_at.getTime() - started_at.getTime() : null;
}
