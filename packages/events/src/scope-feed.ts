import { scopeKey, type TellFeed } from '@chorus/contract';
import type { RedisConnection } from './connect-redis.ts';
import { feedKey } from './keys.ts';
import { TELL } from './lua/tell.ts';
import { defineScript } from './script.ts';

/** Events that the feed of a scope keeps, or somewhat more. */
const KEPT_EVENTS = 1_000;

/** Events that go in one step. */
const MAX_STEP = 256;

/** Events of all scopes that may wait for Redis; what comes beyond is lost, and readers are told so. */
const MAX_WAITING = 5_000;

/** Pause before a Redis that refused is tried again, in milliseconds. */
const TRY_AGAIN_MS = 1_000;

const LOST = JSON.stringify({ type: 'events.lost' });

export interface FeedLimits {
  /** Milliseconds that a feed is kept after its last event. */
  keepMs: number;
}

/** What waits for the feed of one scope. */
interface Line {
  events: string[];
  lost: boolean;
}

/**
 * Writes the feeds of all scopes. Nobody waits for it: what happens while a step of its scope is under way goes with the next one, so a burst
 * costs few steps. A process that is killed takes with it what it told in its last moment.
 */
export function createScopeFeed(redis: RedisConnection, { keepMs }: FeedLimits): TellFeed {
  const append = defineScript(redis, 'chorusTell', TELL, 1);
  /** Scopes with events that wait or are under way. */
  const lines = new Map<string, Line>();
  let waiting = 0;

  const send = async (scope: string, line: Line): Promise<void> => {
    while (line.events.length > 0 || line.lost) {
      const events = line.events.splice(0, MAX_STEP);
      waiting -= events.length;
      const { lost } = line;
      line.lost = false;
      try {
        await append(feedKey(scope), KEPT_EVENTS, keepMs, ...(lost ? [LOST] : []), ...events);
      } catch {
        if (redis.status === 'end') break;
        line.lost = true;
        await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS).unref());
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
    // At once: what this process asks of Redis next comes behind it.
    send(scope, line);
  };
}
