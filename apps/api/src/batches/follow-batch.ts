import type { BatchRecord } from '@chorus/database';
import { mayFollow } from '../delivery/may-follow.ts';
import type { ScopedContext } from '../http/request-context.ts';

/** How often it is asked whether who follows still may: a batch may run for days. */
const ASK_EVERY_MS = 2_000;

/** A batch as somebody follows it. */
export interface FollowedBatch {
  /** The batch once it differs from what was given last; null: the following is over. */
  next(): Promise<BatchRecord | null>;
  close(): void;
}

/** Follows a batch until the client goes, may no more, the batch is gone, or the process stops. */
export function followBatch(context: ScopedContext, id: string): FollowedBatch {
  const { services, owner, response } = context;
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
  response.once('close', close);
  const closed = services.streams.open(close);
  if (response.destroyed) close(); // the client went before this: nothing will tell of it again
  const asking = setInterval(() => mayFollow(context).then((may) => may || close()), ASK_EVERY_MS);
  return {
    async next() {
      while (!over && news === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const batch = over ? null : (news ?? null);
      news = undefined;
      return batch;
    },
    close() {
      close();
      clearInterval(asking);
      stopWatching();
      response.off('close', close);
      closed();
    },
  };
}
