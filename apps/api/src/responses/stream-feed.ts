import type { Owner } from '@chorus/contract';
import type { FeedEntry, ScopeFeedReader } from '@chorus/events';
import { stillHasAccess } from '../http/authenticate.ts';
import type { ScopedContext } from '../http/request-context.ts';
import { beginEventStream, drained, onDisconnect } from './event-stream.ts';

/** How often access is checked again, since a stream may stay open for days. */
const ACCESS_CHECK_MS = 2_000;

/**
 * Answers with a scope's events as `text/event-stream`, until the client disconnects or loses access, or the
 * process stops. Clients can resume with their last id.
 */
export async function streamFeed(context: ScopedContext, reader: ScopeFeedReader): Promise<void> {
  const { response, owner } = context;
  const close = () => reader.close();
  const connected = onDisconnect(context, close);
  const quiet = beginEventStream(response);
  const checking = setInterval(() => stillHasAccess(context).then((may) => may || close()), ACCESS_CHECK_MS);
  try {
    response.write(frameOf({ id: reader.cursor, event: { type: 'events.opened' } }));
    for (;;) {
      const entries = await reader.next();
      if (entries === null) break;
      const text = entries.filter((entry) => isVisible(entry, owner)).map(frameOf);
      if (text.length > 0 && !response.write(text.join(''))) await drained(response);
    }
    response.end();
  } finally {
    quiet();
    clearInterval(checking);
    connected();
    reader.close();
  }
}

/** Hides other members' sessions. In a workspace, a session belongs to the member who started it. */
function isVisible({ event }: FeedEntry, owner: Owner): boolean {
  if (owner.scope === 'personal' || !('session_id' in event) || event.session_id === null) return true;
  return event.user_id === owner.user_id;
}

function frameOf({ id, event }: { id: string; event: object }): string {
  return `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`;
}
