import type { BatchRecord } from '@chorus/database';
import { stillHasAccess } from '../http/authenticate.ts';
import type { ScopedContext } from '../http/request-context.ts';
import { presentOneBatch } from '../present.ts';
import { beginEventStream, DONE, drained, onDisconnect } from '../responses/event-stream.ts';
import { holdPlace } from '../responses/hold-place.ts';

/** How often access is checked again, since a batch may run for days. */
const ACCESS_CHECK_MS = 2_000;

/** How often the lanes of waiting items are looked at. */
const LANES_MS = 2_000;

export interface FollowedBatch {
  /** Returns the batch once it has changed. Null: nothing more follows. Undefined: no change within this time. */
  next(withinMs: number): Promise<BatchRecord | null | undefined>;
  close(): void;
}

/** Follows a batch until the client disconnects or loses access, the batch is deleted, or the process stops. */
export function followBatch(context: ScopedContext, id: string): FollowedBatch {
  const { services, owner } = context;
  let news: BatchRecord | null | undefined;
  let over = false;
  let wake = () => {};
  const close = () => {
    over = true;
    wake();
  };
  const stopWatching = services.batchWatches.open(owner, id, (batch) => {
    news = batch;
    wake();
  });
  const connected = onDisconnect(context, close);
  const asking = setInterval(() => stillHasAccess(context).then((may) => may || close()), ACCESS_CHECK_MS);
  return {
    async next(withinMs) {
      const timer = setTimeout(() => wake(), withinMs);
      if (!over && news === undefined)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      clearTimeout(timer);
      const batch = over ? null : news;
      news = undefined;
      return batch;
    },
    close() {
      close();
      clearInterval(asking);
      stopWatching();
      connected();
    },
  };
}

/** Answers with a batch as `text/event-stream`: now, and after each change until it has ended. */
export async function streamBatch(context: ScopedContext, id: string): Promise<void> {
  const { response } = context;
  await holdPlace(context, 'streams');
  const followed = followBatch(context, id);
  const quiet = beginEventStream(response);
  let shown = '';
  let latest: BatchRecord | undefined;
  try {
    for (;;) {
      const changed = await followed.next(LANES_MS);
      if (changed === null) break;
      latest = changed ?? latest;
      // The lanes that its items wait in change without it.
      if (latest === undefined || (changed === undefined && latest.lane_items.length === 0)) continue;
      const type = typeOf(latest);
      const batch = await presentOneBatch(context, latest);
      const waits = JSON.stringify(batch.progress.waiting_for.map(({ until, ...wait }) => [wait, until?.slice(0, 19)]));
      if (changed === undefined && waits === shown) continue;
      shown = waits;
      const frame = `data: ${JSON.stringify({ type, batch })}\n\n`;
      if (type !== 'batch.progress') return void response.end(frame + DONE);
      if (!response.write(frame)) await drained(response);
    }
    response.end();
  } finally {
    quiet();
    followed.close();
  }
}

function typeOf({ status }: BatchRecord) {
  return status === 'completed' || status === 'cancelled' ? (`batch.${status}` as const) : 'batch.progress';
}
