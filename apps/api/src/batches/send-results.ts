import { type BatchResult, ChorusError, type EndedItemStatus } from '@chorus/contract';
import type { BatchRecord, ListedBatchItem } from '@chorus/database';
import { presentExecution } from '@chorus/executions';
import type { ScopedContext } from '../http/request-context.ts';
import { drained } from '../responses/event-stream.ts';
import { holdPlace } from '../responses/hold-place.ts';
import { type FollowedBatch, followBatch } from './follow-batch.ts';

/** Items per round trip, and executions in memory at once. One may hold megabytes of text. */
const PAGE_SIZE = 200;
const EXECUTIONS = 20;

/** How long to wait for a change before looking whether anything follows. */
const LOOK_MS = 60_000;

/** A position in the order in which items ended. */
interface Position {
  seq: number;
  index: number;
}

export interface ResultsQuery {
  after?: string | undefined;
  follow: boolean;
}

/**
 * Answers with the ended items of a batch as NDJSON, in the order they ended. With `follow`, continues until
 * the batch has ended. Waits for slow clients, so only a few items are in memory.
 * @throws {ChorusError} invalid_request for an unknown cursor
 */
export async function sendResults(context: ScopedContext, batch: BatchRecord, query: ResultsQuery): Promise<void> {
  const { response } = context;
  let place = query.after === undefined ? null : positionOf(query.after);
  if (query.follow) await holdPlace(context, 'streams');
  const followed = query.follow ? followBatch(context, batch.id) : null;
  try {
    response.writeHead(200, {
      'Content-Type': 'application/x-ndjson; charset=utf-8',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
    });
    response.flushHeaders();
    let current: BatchRecord | null = batch;
    while (current !== null) {
      place = await sendEnded(context, current, place);
      if (response.destroyed || current.finished_at !== null) break;
      current = await nextOf(followed);
    }
    response.end();
  } finally {
    followed?.close();
  }
}

async function nextOf(followed: FollowedBatch | null): Promise<BatchRecord | null> {
  for (;;) {
    const batch = followed === null ? null : await followed.next(LOOK_MS);
    if (batch !== undefined) return batch;
  }
}

/** Sends the items that ended after a position. Returns the new position. */
async function sendEnded(context: ScopedContext, batch: BatchRecord, from: Position | null): Promise<Position | null> {
  const { services, response } = context;
  for (let place = from; ; ) {
    const query = { after: place, upTo: batch.ended_seq, limit: PAGE_SIZE };
    const items = await services.database.batchItems.listEnded(batch.id, query);
    for (let at = 0; at < items.length && !response.destroyed; at += EXECUTIONS) {
      const lines = await present(context, items.slice(at, at + EXECUTIONS));
      if (!response.write(lines)) await drained(response);
    }
    const last = items.at(-1);
    if (last) place = { seq: last.ended_seq as number, index: last.index };
    if (items.length < PAGE_SIZE || response.destroyed) return place;
  }
}

async function present(context: ScopedContext, items: readonly ListedBatchItem[]): Promise<string> {
  const { services, owner } = context;
  const ids = items.flatMap(({ execution_id }) => execution_id ?? []);
  const records = await services.database.executions.getMany(owner, ids);
  const byId = new Map(records.map((record) => [record.id, record]));
  const lines = items.map((item): BatchResult => {
    const record = byId.get(item.execution_id ?? '');
    return {
      cursor: `${item.ended_seq}-${item.index}`,
      item_id: item.id,
      index: item.index,
      kind: item.kind,
      status: item.status as EndedItemStatus,
      error: item.error,
      execution: record ? presentExecution(record, context.addresses) : null,
    };
  });
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

function positionOf(cursor: string): Position {
  const [, seq, index] = /^(\d{1,10})-(\d{1,5})$/.exec(cursor) ?? [];
  if (seq !== undefined && index !== undefined) return { seq: Number(seq), index: Number(index) };
  throw new ChorusError('invalid_request', 'The cursor does not belong to these results.', {
    details: [{ path: 'query.after', message: 'must be the `cursor` of a line' }],
  });
}
