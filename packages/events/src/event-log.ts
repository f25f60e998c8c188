import { type LogEvent, type OutputItem, TERMINAL_EVENTS, type TellFeed } from '@chorus/contract';
import type { RedisConnection } from './connect-redis.ts';
import { fromRedis } from './from-redis.ts';
import { CANCEL_CHANNEL, feedKey, logKeys, runningKey } from './keys.ts';
import { appendScript } from './lua/append.ts';
import { ASK_CANCEL } from './lua/ask-cancel.ts';
import { readShown } from './read-shown.ts';
import { createScopeFeed } from './scope-feed.ts';
import { defineScript } from './script.ts';

export interface EventLogLimits {
  /** Events that a log keeps; older ones are folded into what they amounted to. */
  maxLength: number;
  /** Milliseconds that a log is kept after its end. */
  keepMs: number;
}

/** A log whose execution never ends is dropped after a day; the sweep has ended the execution long before. */
const KEEP_RUNNING_MS = 86_400_000;

/** A larger append is not published itself: readers are woken and fetch it, so that pub/sub buffers stay small. */
const MAX_PUBLISHED_BYTES = 32_768;

const STATUS = { 0: 'appended', '-1': 'ended', '-2': 'fenced', '-3': 'lost' } as const;

const CANCEL_REACH = ['ended', 'not started', 'started'] as const;

export interface AppendResult {
  status: (typeof STATUS)[keyof typeof STATUS];
  /** Number of the log's last event. */
  seq: number;
  cancelRequested: boolean;
  /** Whether text or an item was appended since the last reset. */
  shown: boolean;
}

/** Any attempt: used by whoever ends an execution from outside its worker. */
export const ANY_ATTEMPT = 0;

/**
 * Where Redis fell back to an older state, numbers go on so far beyond the last one that is known: readers may have been given some of what
 * was lost, and what comes then must be new to them.
 */
export const BEYOND_LOST = 1_000;

/** While Redis does not answer, each throws `store_unavailable`. */
export interface EventLog {
  /**
   * One atomic step: fence by attempt, number, store, publish. Without events it only takes the log over for `attempt`.
   *
   * @param base the seq that the caller believes to be last, or -1
   */
  append(executionId: string, attempt: number, base: number, events: LogEvent[]): Promise<AppendResult>;
  /** Writes the wish to cancel into the log's state and tells all workers. Answers how far the execution is. */
  askCancel(executionId: string): Promise<'ended' | 'not started' | 'started'>;
  /** How far a log is; null where no attempt has appended anything, or the log is gone. */
  peek(executionId: string): Promise<{ seq: number; attempt: number; ended: boolean } | null>;
  /** The output that readers have been shown: deltas since the last reset, and items. Empty where the log is gone. */
  shown(executionId: string): Promise<OutputItem[]>;
  /** Tells the feed of a scope what has happened there. */
  readonly tell: TellFeed;
  /** Takes an execution off those that its user has running. Not waited for, and may be lost. */
  noteEnd(userId: string, executionId: string): void;
  /** Wakes who listens on a channel. Not waited for, and may be lost: they look by themselves too. */
  wake(channel: string): void;
  /** Deletes a log. One that is still being written begins anew. */
  forget(executionId: string): Promise<void>;
  /** Deletes the log of an execution that has ended, and refuses whatever a late worker appends to it for a day. */
  seal(executionId: string): Promise<void>;
  /** Deletes the ends of some executions from the feed of their scope; a reader who has yet to come there is told of a loss. */
  forgetEnds(scope: string, executionIds: ReadonlySet<string>): Promise<void>;
  /** Deletes what the feed of a scope tells; who follows it hears of a loss. */
  forgetFeed(scope: string): Promise<void>;
  /** Whether this side has closed the connection: waiting for it is in vain. */
  readonly closed: boolean;
}

/** What the Lua step must know of the events that it appends: see `lua/append.ts`. */
function lettersOf(events: LogEvent[]): string {
  let shows = '-';
  for (const { type } of events) {
    if (type === 'text.delta' || type === 'audio.delta' || type === 'output.item') shows = 's';
    else if (type === 'text.reset') shows = 'r';
  }
  const leads = events[0]?.type === 'text.reset' ? 'r' : '-';
  return `${leads}${shows}${isTerminalEvent(events.at(-1)) ? 't' : '-'}`;
}

function isTerminalEvent(event: LogEvent | undefined): boolean {
  return (TERMINAL_EVENTS as readonly string[]).includes(event?.type ?? '');
}

/** An event as it is stored: of those that are folded, with the fields in the order in which the Lua step takes them. */
function bodyOf(event: LogEvent): string {
  if (event.type === 'text.delta') {
    const { type, index, delta } = event;
    return JSON.stringify({ type, index, delta });
  }
  if (event.type === 'output.item') {
    const { type, index, item } = event;
    return JSON.stringify({ type, index, item });
  }
  const { type, ...fields } = event;
  return JSON.stringify({ type, ...fields });
}

/** Whether an entry of a feed tells how one of these executions ended. */
function tellsOf(event: string | undefined, executionIds: ReadonlySet<string>): boolean {
  if (event === undefined || !event.startsWith('{"type":"execution.failed"')) return false;
  return executionIds.has((JSON.parse(event) as { execution_id: string }).execution_id);
}

/** The event logs of all executions, on one connection. Format and fences: see `lua/append.ts`. */
export function createEventLog(redis: RedisConnection, limits: EventLogLimits): EventLog {
  const { maxLength, keepMs } = limits;
  const constants = {
    maxLength,
    keepEndedMs: keepMs,
    keepRunningMs: KEEP_RUNNING_MS,
    maxPublishedBytes: MAX_PUBLISHED_BYTES,
  };
  const append = defineScript(redis, `chorusAppend:${maxLength}:${keepMs}`, appendScript(constants), 3);
  const askCancel = defineScript(redis, 'chorusAskCancel', ASK_CANCEL, 1);
  return {
    async append(executionId, attempt, base, events) {
      const keys = logKeys(executionId);
      const [status, seq, cancel, shown] = (await append(
        keys.log,
        keys.state,
        keys.folded,
        attempt,
        base,
        lettersOf(events),
        ...events.map(bodyOf),
      )) as [keyof typeof STATUS, number, number, number];
      return { status: STATUS[status], seq, cancelRequested: cancel === 1, shown: shown === 1 };
    },

    async askCancel(executionId) {
      const keys = logKeys(executionId);
      const reach = await fromRedis(askCancel(keys.state, CANCEL_CHANNEL, executionId, KEEP_RUNNING_MS));
      return CANCEL_REACH[reach as 0 | 1 | 2];
    },

    async peek(executionId) {
      const state = await fromRedis(redis.hmget(logKeys(executionId).state, 'seq', 'attempt', 'done'));
      const [seq, attempt, done] = state;
      return seq ? { seq: Number(seq), attempt: Number(attempt ?? 0), ended: Boolean(done) } : null;
    },

    shown: (executionId) => fromRedis(readShown(redis, executionId)),

    async forget(executionId) {
      const { log, state, folded } = logKeys(executionId);
      await fromRedis(redis.del(log, state, folded));
    },

    async seal(executionId) {
      const { log, state, folded } = logKeys(executionId);
      const sealing = redis
        .multi()
        .del(log, folded)
        .hset(state, 'done', 1)
        // Without a number it reads as a log that is gone.
        .hdel(state, 'seq', 'shown')
        .pexpire(state, KEEP_RUNNING_MS)
        .exec();
      await fromRedis(sealing);
    },

    async forgetEnds(scope, executionIds) {
      const key = feedKey(scope);
      const entries = await fromRedis(redis.xrange(key, '-', '+'));
      const ids = entries.flatMap(([id, fields]) => (tellsOf(fields.at(-1), executionIds) ? [id] : []));
      if (ids.length > 0) await fromRedis(redis.xdel(key, ...ids));
    },

    tell: createScopeFeed(redis, limits),

    noteEnd(userId, executionId) {
      redis.zrem(runningKey(userId), executionId).catch(() => undefined);
    },

    wake(channel) {
      redis.publish(channel, '').catch(() => undefined);
    },

    async forgetFeed(scope) {
      await fromRedis(redis.del(feedKey(scope)));
    },

    get closed() {
      return redis.status === 'end';
    },
  };
}
