/** The client's own errors for a server that does not answer; some of their classes are not exported. */
const AWAY_NAMES = new Set(['MaxRetriesPerRequestError', 'ClusterAllFailedError']);
const AWAY_MESSAGES =
  /^(Connection is closed|Command timed out|Command aborted due to connection close|Stream isn't writeable|Too many Cluster redirections|No subscriber for the cluster)/;
/** What a server answers that is loading, fails over, lacks its replicas, or is full; some versions say it behind what the script was. */
const AWAY_REPLIES = /(^|: -)(LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|READONLY|NOREPLICAS|OOM|MISCONF) /;
const AWAY_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND']);

/** Whether an error says that Redis could not be reached or can't serve now, as opposed to having refused. */
export function isRedisAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall !== undefined && code !== undefined && AWAY_CODES.has(code)) return true;
  return AWAY_NAMES.has(error.name) || AWAY_MESSAGES.test(error.message) || AWAY_REPLIES.test(error.message);
}
