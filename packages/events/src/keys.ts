/**
 * Redis keys of an execution's event log. The hash tag puts all keys of one execution into one slot of a Redis Cluster,
 * so that a Lua step may touch them together.
 */
export const logKeys = (executionId: string) => ({
  /** Stream of events, entry id `<seq>-0`. */
  log: `chorus:{${executionId}}:log`,
  /** Hash: attempt, seq, done, cancel, shown. */
  state: `chorus:{${executionId}}:state`,
  /** Hash: what trimmed events amounted to: `seq` of the last one folded, `text:<index>` (JSON without its quotes), `item:<index>`. */
  folded: `chorus:{${executionId}}:folded`,
});

/** Pub/sub channel on which appended events are published: it bears the log's name. */
export const liveChannel = (executionId: string) => logKeys(executionId).log;

/** Stream of what happens in a scope; readers are woken on the channel of the same name. */
export const feedKey = (scope: string) => `chorus:{${scope}}:feed`;

/** Pub/sub channel that wakes whoever delivers webhooks. */
export const WEBHOOKS_CHANNEL = 'chorus:webhooks';

/** Pub/sub channels that wake whoever feeds batches: when an execution of one has ended; when one was made, is to stop or to run again. */
export const BATCH_ENDS_CHANNEL = 'chorus:batches:ends';
export const BATCHES_CHANNEL = 'chorus:batches';

/** Pub/sub channel on which a wish to cancel reaches every worker; the message is the execution's id. */
export const CANCEL_CHANNEL = 'chorus:cancel';

/** Executions of a user that have not ended, batches apart: a sorted set of ids by when they began. */
export const runningKey = (userId: string) => `chorus:{${userId}}:executions`;
