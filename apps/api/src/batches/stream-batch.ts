import type { BatchRecord } from '@chorus/database';
import { presentBatch } from '@chorus/executions';
import { drained, KEEP_ALIVE_MS, writeIfIdle } from '../delivery/event-stream.ts';
import { DONE, KEEP_ALIVE } from '../delivery/frames.ts';
import { holdPlace } from '../delivery/hold-place.ts';
import type { ScopedContext } from '../http/request-context.ts';
import { followBatch } from './follow-batch.ts';

/** Answers with a batch as `text/event-stream`: as it is, and again whenever it has changed, until it has ended. */
export async function streamBatch(context: ScopedContext, id: string): Promise<void> {
  const { response } = context;
  await holdPlace(context, 'streams');
  const followed = followBatch(context, id);
  const keepAlive = setInterval(() => writeIfIdle(response, KEEP_ALIVE), KEEP_ALIVE_MS);
  try {
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
    });
    for (;;) {
      const batch = await followed.next();
      if (batch === null) break;
      const type = typeOf(batch);
      const frame = `data: ${JSON.stringify({ type, batch: presentBatch(batch, context.addresses) })}\n\n`;
      if (type !== 'batch.progress') return void response.end(frame + DONE);
      if (!response.write(frame)) await drained(response);
    }
    response.end();
  } finally {
    clearInterval(keepAlive);
    followed.close();
  }
}

function typeOf({ status }: BatchRecord) {
  return status === 'completed' || status === 'cancelled' ? (`batch.${status}` as const) : 'batch.progress';
}
