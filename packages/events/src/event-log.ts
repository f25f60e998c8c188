import {
  isAnswerDelta,
  type LogEvent,
  type OutputItem,
  type PublishFeedEvent,
  TERMINAL_EVENTS,
} from '@chorus/contract';
import { appendScript } from './append-script.ts';
import { defineScript, type RedisConnection } from './connection/index.ts';
import { fromRedis } from './from-redis.ts';
import { CANCEL_CHANNEL, feedKey, HUBS_CHANNEL, logKeys, runningKey } from './keys.ts';
import { readShown } from './read-log.ts';
import { createScopeFeed } from './scope-feed.ts';

export interface EventLogLimits {
  /** Events to keep in a log; older ones are folded into their result. */
  maxLength: number;
  /** Time to keep an ended log. */
  keepMs: number;
}

/** Lifetime of a log without an end. The sweep ends executions long before. */
const KEEP_RUNNING_MS = 86_400_000;

/** Longer than an execution may wait for decisions. */
const KEEP_WAITING_MS = 2 * KEEP_RUNNING_MS;

/** Larger appends only wake readers, which then fetch them. This limits pub/sub buffers. */
const MAX_PUBLISHED_BYTES = 32_768;

const STATUS = { 0: 'appended', '-1': 'ended', '-2': 'fenced', '-3': 'lost' } as const;

const CANCEL_REACH = ['ended', 'not started', 'started'] as const;

export interface AppendResult {
  status: (typeof STATUS)[keyof typeof STATUS];
  /** Number of the log's last event. */
  seq: number;
  cancelRequested: boolean;
  /** Whether a delta or an item was appended since the last reset. */
  shown: boolean;
  /** How often the answer has started over. */
  resets: number;
}

/** Used to end an execution from outside its worker, whichever attempt holds it. */
export const ANY_ATTEMPT = 0;

/**
 * Gap in the numbers after Redis lost events. Readers may have received lost numbers, so later events must
 * exceed those.
 */
export const LOST_EVENTS_GAP = 1_000;

/** All methods throw `store_unavailable` while Redis does not answer. */
export interface EventLog {
  /**
   * Fences by attempt, numbers, stores, and publishes in one atomic step. Without events it only takes the
   * log over for `attempt`.
   *
   * @param base the last seq that the caller knows, or -1
   * @param hub channel of the hub that has followed the execution from the start; empty: none has. Default: all hubs
   */
  append(executionId: string, attempt: number, base: number, events: LogEvent[], hub?: string): Promise<AppendResult>;
  /** Records a cancel request and notifies all workers. Returns the state of the execution. */
  requestCancel(executionId: string): Promise<'ended' | 'not started' | 'started'>;
  /** Whether a worker runs it: one has begun, and has not left it to wait for its provider. False if the log is gone. */
  isRunning(executionId: string): Promise<boolean>;
  /** Returns the state of a log, or null before the first append and after the log is gone. */
  peek(executionId: string): Promise<{ seq: number; attempt: number; ended: boolean } | null>;
  /** Returns the output shown since the last reset. Empty if the log is gone. */
  shown(executionId: string): Promise<OutputItem[]>;
  /** Publishes an event to the feed of a scope. */
  readonly publishToFeed: PublishFeedEvent;
  /** Removes an execution from its user's running ones. Does not wait, and may be lost. */
  noteEnd(userId: string, executionId: string): void;
  /** Wakes listeners of a channel. Does not wait, and may be lost: listeners also poll. */
  wake(channel: string): void;
  /** Extends the lifetime of a log by two days, for an execution that waits for decisions. */
  keep(executionId: string): Promise<void>;
  /** Deletes a log. A log in use starts over. */
  forget(executionId: string): Promise<void>;
  /** Deletes the log of an ended execution, and refuses late appends for a day. */
  seal(executionId: string): Promise<void>;
  /** Deletes the terminal events of executions from a feed. Readers that have not reached them see a loss. */
  forgetEnds(scope: string, executionIds: ReadonlySet<string>): Promise<void>;
  /** Deletes the feed of a scope. Its readers see a loss. */
  forgetFeed(scope: string): Promise<void>;
  /** Whether this side has closed the connection for good. */
  readonly closed: boolean;
}

/** Returns the flags that the append script needs: see `append-script.ts`. */
function flagsOf(events: LogEvent[]): string {
  let shows = '-';
  let resets = 0;
  for (const event of events) {
    if (isAnswerDelta(event) || event.type === 'audio.delta' || event.type === 'output.item') shows = 's';
    else if (event.type === 'text.reset') {
      shows = 'r';
      resets += 1;
    }
  }
  const leads = events[0]?.type === 'text.reset' ? 'r' : '-';
  return `${leads}${shows}${isTerminalEvent(events.at(-1)) ? 't' : '-'}${resets || ''}`;
}

function isTerminalEvent(event: LogEvent | undefined): boolean {
  return (TERMINAL_EVENTS as readonly string[]).includes(event?.type ?? '');
}

/** Serializes an event. The fold depends on the order of the fields in deltas and items. */
function serialize(event: LogEvent): string {
  switch (event.type) {
    case 'text.delta': {
      const { type, index, logprobs, delta } = event;
      return JSON.stringify({ type, index, logprobs, delta });
    }
    case 'reasoning.delta':
    case 'refusal.delta': {
      const { type, index, delta } = event;
      return JSON.stringify({ type, index, delta });
    }
    case 'tool_call.delta': {
      const { type, index, call, id, name, first, arguments_delta } = event;
      return JSON.stringify({ type, index, call, id, name, first, arguments_delta });
    }
    case 'output.item': {
      const { type, index, item } = event;
      const { type: itemType, ...fields } = item;
      return JSON.stringify({ type, index, item: { type: itemType, ...fields } });
    }
    default: {
      const { type, ...fields } = event;
      return JSON.stringify({ type, ...fields });
    }
  }
}

/** Returns whether a feed entry is the failure of one of these executions. */
function isFailureOf(event: string | undefined, executionIds: ReadonlySet<string>): boolean {
  if (event === undefined || !event.startsWith('{"type":"execution.failed"')) return false;
  return executionIds.has((JSON.parse(event) as { execution_id: string }).execution_id);
}

/**
 * Records a cancel request and notifies the worker of the execution.
 *
 * KEYS: state. ARGV: cancel channel, execution id, milliseconds to keep the state.
 * Returns 0 if the log has ended, 1 if no attempt has appended anything yet, else 2.
 */
/** The beginning of an event in the log that leaves its execution queued. */
const WAITING = '{"type":"execution.waiting"';

const ASK_CANCEL = `
local state = redis.call('HMGET', KEYS[1], 'done', 'attempt')
if state[1] then return 0 end
redis.call('HSET', KEYS[1], 'cancel', 1)
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('PUBLISH', ARGV[1], ARGV[2])
-- Attempt 0: others than workers have appended so far.
return (state[2] or '0') ~= '0' and 2 or 1
`;

/** Creates the event log on one connection. For its format and fences see `append-script.ts`. */
export function createEventLog(redis: RedisConnection, limits: EventLogLimits): EventLog {
  const { maxLength, keepMs } = limits;
  const constants = {
    maxLength,
    keepEndedMs: keepMs,
    keepRunningMs: KEEP_RUNNING_MS,
    maxPublishedBytes: MAX_PUBLISHED_BYTES,
  };
  const append = defineScript(redis, `chorusAppend:${maxLength}:${keepMs}`, appendScript(constants), 4);
  const askCancel = defineScript(redis, 'chorusAskCancel', ASK_CANCEL, 1);
  /** Executions that end in this turn of the event loop, by user: one command for each user. */
  const ended = new Map<string, string[]>();
  return {
    async append(executionId, attempt, base, events, hub = HUBS_CHANNEL) {
      const keys = logKeys(executionId);
      const [status, seq, cancel, shown, resets] = (await append(
        keys.log,
        keys.state,
        keys.folded,
        keys.ended,
        attempt,
        base,
        flagsOf(events),
        hub,
        ...events.map(serialize),
      )) as [keyof typeof STATUS, number, number, number, number];
      return { status: STATUS[status], seq, cancelRequested: cancel === 1, shown: shown === 1, resets };
    },

    async requestCancel(executionId) {
      const keys = logKeys(executionId);
      const reach = await fromRedis(askCancel(keys.state, CANCEL_CHANNEL, executionId, KEEP_RUNNING_MS));
      return CANCEL_REACH[reach as 0 | 1 | 2];
    },

    async peek(executionId) {
      const state = await fromRedis(redis.hmget(logKeys(executionId).state, 'seq', 'attempt', 'done'));
      const [seq, attempt, done] = state;
      return seq ? { seq: Number(seq), attempt: Number(attempt ?? 0), ended: Boolean(done) } : null;
    },

    async isRunning(executionId) {
      const { log, state } = logKeys(executionId);
      const reading = redis.multi().hget(state, 'attempt').xrevrange(log, '+', '-', 'COUNT', 1).exec();
      const [attempt, last] = ((await fromRedis(reading)) ?? []).map(([, value]) => value) as [
        string | null,
        [id: string, fields: string[]][],
      ];
      return Number(attempt ?? 0) > 0 && !last[0]?.[1][1]?.startsWith(WAITING);
    },

    shown: (executionId) => fromRedis(readShown(redis, executionId)),

    async keep(executionId) {
      const { log, state, folded } = logKeys(executionId);
      const kept = redis.multi();
      for (const key of [log, state, folded]) kept.pexpire(key, KEEP_WAITING_MS);
      await fromRedis(kept.exec());
    },

    async forget(executionId) {
      await fromRedis(redis.del(...Object.values(logKeys(executionId))));
    },

    async seal(executionId) {
      const { log, state, folded, ended } = logKeys(executionId);
      const sealing = redis
        .multi()
        .del(log, folded, ended)
        .hset(state, 'done', 1)
        // Without `seq`, the log counts as gone.
        .hdel(state, 'seq', 'shown')
        .pexpire(state, KEEP_RUNNING_MS)
        .exec();
      await fromRedis(sealing);
    },

    async forgetEnds(scope, executionIds) {
      const key = feedKey(scope);
      const entries = await fromRedis(redis.xrange(key, '-', '+'));
      const ids = entries.flatMap(([id, fields]) => (isFailureOf(fields.at(-1), executionIds) ? [id] : []));
      if (ids.length > 0) await fromRedis(redis.xdel(key, ...ids));
    },

    publishToFeed: createScopeFeed(redis, limits),

    noteEnd(userId, executionId) {
      const ids = ended.get(userId);
      if (ids) return void ids.push(executionId);
      ended.set(userId, [executionId]);
      setImmediate(() => {
        const all = ended.get(userId) ?? [];
        ended.delete(userId);
        redis.zrem(runningKey(userId), ...all).catch(() => undefined);
      });
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
