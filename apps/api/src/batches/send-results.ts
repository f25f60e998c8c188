import { type BatchResult, ChorusError, type EndedItemStatus } from '@chorus/contract';
import type { BatchRecord, ListedBatchItem } from '@chorus/database';
import { presentExecution } from '@chorus/executions';
import { drained } from '../delivery/event-stream.ts';
import { holdPlace } from '../delivery/hold-place.ts';
import type { ScopedContext } from '../http/request-context.ts';
import { type FollowedBatch, followBatch } from './follow-batch.ts';

/** Items looked at in one round trip, and executions that are in memory at once: one may have megabytes of text. */
const ITEMS = 200;
const EXECUTIONS = 20;

/** A place in the order of endings. */
interface Place {
  seq: number;
  index: number;
}

export interface ResultsQuery {
  after?: string | undefined;
  follow: boolean;
}

/**
 * Answers with what has ended of a batch as NDJSON, in the order of its ending; with `follow` on and on until all has. A client that is slow
 * has the next ones read later: no more than a few are in memory.
 *
 * @throws {ChorusError} invalid_request for a cursor that is none of ours
 */
export async function sendResults(context: ScopedContext, batch: BatchRecord, query: ResultsQuery): Promise<void> {
  const { response } = context;
  let place = query.after === undefined ? null : placeOf(query.after);
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
  return followed === null ? null : followed.next();
}

/** Sends what has ended behind a place; answers where it is then. */
async function sendEnded(context: ScopedContext, batch: BatchRecord, from: Place | null): Promise<Place | null> {
  const { services, response } = context;
  for (let place = from; ; ) {
    const query = { after: place, upTo: batch.ended_seq, limit: ITEMS };
    const items = await services.database.batchItems.listEnded(batch.id, query);
    for (let at = 0; at < items.length && !response.destroyed; at += EXECUTIONS) {
      const lines = await present(context, items.slice(at, at + EXECUTIONS));
      if (!response.write(lines)) await drained(response);
    }
    const last = items.at(-1);
    if (last) place = { seq: last.ended_seq as number, index: last.index };
    if (items.length < ITEMS || response.destroyed) return place;
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

function placeOf(cursor: string): Place {
  const [, seq, index] = /^(\d{1,10})-(\d{1,5})$/.exec(cursor) ?? [];
  if (seq !== undefined && index !== undefined) return { seq: Number(seq), index: Number(index) };
  throw new ChorusError('invalid_request', 'The cursor is none of these results.', {
    details: [{ path: 'query.after', message: 'must be the `cursor` of a line' }],
  });
}
