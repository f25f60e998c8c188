/** Redis keys of an execution's event log. The hash tag keeps them in one slot, as Lua steps require. */
export const logKeys = (executionId: string) => ({
  /** Stream of events, entry id `<seq>-0`. */
  log: `chorus:{${executionId}}:log`,
  /** Hash: attempt, seq, done, cancel, shown, resets. */
  state: `chorus:{${executionId}}:state`,
  /**
   * Hash of the folded events. `seq`: the last one. `text:<index>`, `reasoning:…`, `refusal:…` and `tool_call:…`:
   * a JSON string without quotes. `logprobs:…`: JSON elements, each after a comma. `head:…`: the fields of a
   * tool call, likewise. `item:…`: the event.
   */
  folded: `chorus:{${executionId}}:folded`,
  /** String: the events of an ended log that is not too large, instead of `log`. */
  ended: `chorus:{${executionId}}:ended`,
});

/** Pub/sub channel for appended events. It has the name of the log. */
export const liveChannel = (executionId: string) => logKeys(executionId).log;

/**
 * Pub/sub channel of all event hubs, for events of executions whose readers are unknown. On a reconnect, a hub's
 * subscription to it is confirmed after the renewed ones.
 */
export const HUBS_CHANNEL = 'chorus:hub';

/** Stream of events in a scope. A channel of the same name wakes its readers. */
export const feedKey = (scope: string) => `chorus:{${scope}}:feed`;

/** Pub/sub channel that wakes webhook delivery. */
export const WEBHOOKS_CHANNEL = 'chorus:webhooks';

/** Pub/sub channels that wake the batch feeder: an execution of a batch ended, or a batch was changed. */
export const BATCH_ENDS_CHANNEL = 'chorus:batches:ends';
export const BATCHES_CHANNEL = 'chorus:batches';

/** Pub/sub channel for cancel requests to all workers. The message is the execution's id. */
export const CANCEL_CHANNEL = 'chorus:cancel';

/** Sorted set of a user's unfinished executions, without batches, by start time. */
export const runningKey = (userId: string) => `chorus:{${userId}}:executions`;
