import { type PublishFeedEvent, scopeKey } from '@chorus/contract';
import { defineScript, type RedisConnection } from './connection/index.ts';
import { feedKey } from './keys.ts';

/** Approximate number of events to keep in a feed. */
const MAX_EVENTS = 1_000;

const MAX_STEP = 256;

/** Buffered events over all scopes. Further events are lost, and readers receive `events.lost`. */
const MAX_WAITING = 5_000;

const RETRY_MS = 1_000;

const LOST = JSON.stringify({ type: 'events.lost' });

/**
 * Appends events to the feed of a scope, each with the id of its predecessor. This lets a reader detect
 * missing events, whether trimmed, expired, or lost by Redis.
 *
 * KEYS: feed (also the name of the channel that wakes readers). ARGV: events to keep, milliseconds to keep
 * them after the last one, then the events as JSON.
 */
const APPEND = `
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
local before = last and last[1] or '0-0'
for i = 3, #ARGV do
  before = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*', 'p', before, 'e', ARGV[i])
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('PUBLISH', KEYS[1], before)
return before
`;

export interface FeedLimits {
  /** Time to keep a feed after its last event. */
  keepMs: number;
}

/** Pending events of one scope. */
interface PendingEvents {
  events: string[];
  lost: boolean;
}

/**
 * Writes the feeds of all scopes in the background. Events that arrive during a write are batched. A killed
 * process loses its last events.
 */
export function createScopeFeed(redis: RedisConnection, { keepMs }: FeedLimits): PublishFeedEvent {
  const append = defineScript(redis, 'chorusAppendToFeed', APPEND, 1);
  const lines = new Map<string, PendingEvents>();
  let waiting = 0;

  const send = async (scope: string, line: PendingEvents): Promise<void> => {
    while (line.events.length > 0 || line.lost) {
      const events = line.events.splice(0, MAX_STEP);
      waiting -= events.length;
      const { lost } = line;
      line.lost = false;
      try {
        await append(feedKey(scope), MAX_EVENTS, keepMs, ...(lost ? [LOST] : []), ...events);
      } catch {
        if (redis.status === 'end') break;
        line.lost = true;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
      }
    }
    waiting -= line.events.length;
    lines.delete(scope);
  };

  return (owner, event) => {
    const scope = scopeKey(owner);
    const known = lines.get(scope);
    const line = known ?? { events: [], lost: false };
    if (waiting >= MAX_WAITING) line.lost = true;
    else {
      const { type, ...fields } = event;
      line.events.push(JSON.stringify({ type, time: new Date(), user_id: owner.user_id, ...fields }));
      waiting += 1;
    }
    if (known) return;
    lines.set(scope, line);
    // Sent at once, so it precedes later commands of this process.
    send(scope, line);
  };
}
