import { setImmediate as sent } from 'node:timers/promises';
import { ChorusError } from '@chorus/contract';
import { withTimeout } from '@chorus/runtime/timing';

/** Client errors for a server that does not answer. Some of their classes are not exported. */
const DOWN_NAMES = new Set(['MaxRetriesPerRequestError', 'ClusterAllFailedError']);
const DOWN_MESSAGES =
  /^(Connection is closed|Command timed out|Command aborted due to connection close|Stream isn't writeable|Too many Cluster redirections|No subscriber for the cluster)/;
/** Replies of a server that is loading, failing over, full, or without replicas. Some versions add a prefix. */
const DOWN_REPLIES = /(^|: -)(LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|READONLY|NOREPLICAS|OOM|MISCONF) /;
/** For users, who cannot change Redis. */
const MESSAGES: Record<string, string> = {
  OOM: 'Redis is full, so nothing new can be queued. Ask an operator to give it more memory.',
  READONLY: 'Redis takes no writes now. Try again shortly.',
  MISCONF: 'Redis cannot write to its disk, so nothing new can be queued. Ask an operator to check it.',
};
const DOWN_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND']);

/** Returns whether Redis is unreachable or unable to serve, rather than refusing the command. */
export function isRedisUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall !== undefined && code !== undefined && DOWN_CODES.has(code)) return true;
  return DOWN_NAMES.has(error.name) || DOWN_MESSAGES.test(error.message) || DOWN_REPLIES.test(error.message);
}

/**
 * Returns the reply of Redis. Throws `store_unavailable` if it is down or takes longer than `limitMs`.
 *
 * @param limitMs For commands that would otherwise wait for a connection forever.
 */
export async function fromRedis<T>(answer: Promise<T>, limitMs?: number): Promise<T> {
  try {
    if (limitMs === undefined) return await answer;
    // Commands are sent at the end of this turn of the event loop, which may be long.
    const sending = sent().then(() => withTimeout(answer, limitMs, giveUp));
    return await Promise.race([answer, sending]);
  } catch (error) {
    throw isRedisUnavailable(error) ? unavailable(error) : error;
  }
}

function giveUp(): never {
  throw unavailable();
}

function unavailable(cause?: unknown): ChorusError {
  const reply = cause instanceof Error ? (DOWN_REPLIES.exec(cause.message)?.[2] ?? '') : '';
  const message = MESSAGES[reply] ?? 'Redis does not answer. Try again shortly.';
  return new ChorusError('store_unavailable', message, { retryAfterS: 2, cause });
}
