/** The client's own errors for a server that does not answer; some of their classes are not exported. */
const AWAY_NAMES = new Set(['MaxRetriesPerRequestError', 'ClusterAllFailedError']);
const AWAY_MESSAGES = /^(Connection is closed|Command timed out|Stream isn't writeable)/;
/** What a server answers that is loading, fails over, or is full. */
const AWAY_REPLIES = /^(LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|READONLY|OOM|MISCONF) /;
const AWAY_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND']);

/** Whether an error says that Redis could not be reached or can't serve now, as opposed to having refused. */
export function isRedisAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall !== undefined && code !== undefined && AWAY_CODES.has(code)) return true;
  return AWAY_NAMES.has(error.name) || AWAY_MESSAGES.test(error.message) || AWAY_REPLIES.test(error.message);
}

/** Whether this side has closed the connection: waiting for it is in vain. */
export function isClosed(error: unknown): boolean {
  return error instanceof Error && /^Connection is closed/.test(error.message);
}
