import type { Owner } from '@chorus/contract';
import type { FeedEntry, ScopeFeedReader } from '@chorus/events';
import type { ScopedContext } from '../http/request-context.ts';
import { drained, KEEP_ALIVE_MS, writeIfIdle } from './event-stream.ts';
import { KEEP_ALIVE } from './frames.ts';
import { mayFollow } from './may-follow.ts';

/** How often it is asked whether who follows still may: such a stream has no end of its own. */
const ASK_EVERY_MS = 2_000;

/**
 * Answers with what happens in a scope as `text/event-stream`, until the client goes, may no more, or the process stops; it comes back with the last id
 * that it has.
 */
export async function streamFeed(context: ScopedContext, reader: ScopeFeedReader): Promise<void> {
  const { response, services, owner } = context;
  const close = () => reader.close();
  response.once('close', close);
  const closed = services.streams.open(close);
  if (response.destroyed) close(); // the client went before this: nothing will tell of it again
  const keepAlive = setInterval(() => writeIfIdle(response, KEEP_ALIVE), KEEP_ALIVE_MS);
  const asking = setInterval(() => mayFollow(context).then((may) => may || close()), ASK_EVERY_MS);
  try {
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
    });
    response.write(frameOf({ id: reader.place, event: { type: 'events.opened' } }));
    for (;;) {
      const entries = await reader.next();
      if (entries === null) break;
      const text = entries.filter((entry) => isVisible(entry, owner)).map(frameOf);
      if (text.length > 0 && !response.write(text.join(''))) await drained(response);
    }
    response.end();
  } finally {
    clearInterval(keepAlive);
    clearInterval(asking);
    response.off('close', close);
    closed();
    reader.close();
  }
}

/** In a workspace, executions of sessions are their maker's alone. */
function isVisible({ event }: FeedEntry, owner: Owner): boolean {
  if (owner.scope === 'personal' || !('session_id' in event) || event.session_id === null) return true;
  return event.user_id === owner.user_id;
}

function frameOf({ id, event }: { id: string; event: object }): string {
  return `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`;
}
