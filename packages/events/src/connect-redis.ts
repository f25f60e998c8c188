import { type ClusterAddress, parseClusterUrl, parseSentinelUrl, type SentinelAddress } from '@chorus/config';
import { Cluster, type Command, Redis, type RedisOptions } from 'ioredis';

export type RedisConnection = Redis | Cluster;

/** Options that a connection to one server and one to the nodes of a cluster share. */
type SharedOptions = Pick<
  RedisOptions,
  'maxRetriesPerRequest' | 'commandTimeout' | 'enableReadyCheck' | 'username' | 'password' | 'tls'
>;

export interface RedisConfig {
  /**
   * `redis://…`, `rediss://…` or `unix:///path/to/redis.sock`; `redis+sentinel://…` with the sentinels and the primary's name; several
   * cluster nodes separated by commas.
   */
  url: string;
  cluster: boolean;
}

/**
 * What a connection is for decides what it does while Redis is away:
 * `request` fails within seconds, since somebody waits for an answer; `worker` waits until Redis is back, since work must not be lost.
 */
export type RedisRole = 'request' | 'worker';

const MAX_RECONNECT_DELAY_MS = 1_000;

/** Within this, somebody who waits is answered. */
const COMMAND_TIMEOUT_MS = 5_000;

/** A machine that is gone does not even refuse; so long one waits for it where another may have taken its place. */
const CONNECT_WITHIN_MS = 3_000;

/** A server that owes an answer for so long hangs, or has gone without a word; blocking commands wait for less. */
const SILENT_MS = 15_000;

/** How often the nodes of a cluster are asked who they are: one that hangs is given up only so. */
const REFRESH_NODES_MS = 5_000;

/** While a cluster fails over, a worker's command is sent again every 100 ms, about so often: as long as one may reasonably take. */
const WORKER_REDIRECTIONS = 600;

const delayOf = (times: number) => Math.min(times * 50, MAX_RECONNECT_DELAY_MS);

/** Opens a connection; it reconnects by itself with growing delay, at most a second, and follows a failover to the new primary. */
export function connectRedis(config: RedisConfig, role: RedisRole): RedisConnection {
  const connection = openConnection(config, role);
  ownRenewals(connection);
  return connection;
}

function openConnection({ url, cluster }: RedisConfig, role: RedisRole): RedisConnection {
  const shared: SharedOptions = {
    maxRetriesPerRequest: role === 'worker' ? null : 3,
    ...(role === 'request' ? { commandTimeout: COMMAND_TIMEOUT_MS } : {}),
    enableReadyCheck: true,
  };
  if (cluster) return connectCluster(known(parseClusterUrl(url)), role, shared);
  const options: RedisOptions = { ...shared, retryStrategy: delayOf };
  if (url.startsWith('unix://')) return new Redis({ ...options, path: url.slice('unix://'.length) });
  if (url.includes('+sentinel://')) return new Redis({ ...options, ...behindSentinels(known(parseSentinelUrl(url))) });
  return new Redis(url, options);
}

function known<T>(address: T | null): T {
  if (address === null) throw new TypeError('not the address of a Redis'); // the configuration has been checked
  return address;
}

function connectCluster(address: ClusterAddress, role: RedisRole, shared: SharedOptions): Cluster {
  const Client = role === 'request' ? ImpatientCluster : Cluster;
  return new Client(address.nodes, {
    redisOptions: { ...shared, ...accessOf(address), connectTimeout: CONNECT_WITHIN_MS },
    clusterRetryStrategy: delayOf,
    slotsRefreshInterval: REFRESH_NODES_MS,
    ...(role === 'worker' ? { maxRedirections: WORKER_REDIRECTIONS } : {}),
    // A certificate is made out to a name, not to what it resolves to.
    ...(address.tls ? { dnsLookup: (host, answer) => answer(null, host) } : {}),
  });
}

/** Commands that wait for a cluster as a whole, as all do while none of its nodes answers, have no limit of their own in ioredis. */
class ImpatientCluster extends Cluster {
  override sendCommand(command: Command, ...more: unknown[]): unknown {
    command.setTimeout(COMMAND_TIMEOUT_MS);
    return super.sendCommand(command, ...(more as []));
  }
}

function behindSentinels(address: SentinelAddress): RedisOptions {
  const { sentinels, name, db, sentinelUsername, sentinelPassword, tls } = address;
  return {
    ...accessOf(address),
    sentinels,
    name,
    db,
    ...(sentinelUsername === null ? {} : { sentinelUsername }),
    ...(sentinelPassword === null ? {} : { sentinelPassword }),
    ...(tls ? { sentinelTLS: {}, enableTLSForSentinelMode: true } : {}),
    connectTimeout: CONNECT_WITHIN_MS,
    sentinelCommandTimeout: CONNECT_WITHIN_MS,
    sentinelRetryStrategy: delayOf,
    // A primary that hangs does not say that another follows it. (What ioredis offers for this, `failoverDetector`, ends a connection for
    // good that is just looking for the new one.)
    socketTimeout: SILENT_MS,
    // One that has come back as a replica: the command goes to the new primary.
    reconnectOnError: (error) => (error.message.includes('READONLY') ? 2 : false),
  };
}

/**
 * ioredis renews subscriptions after a reconnect and leaves their promises to nobody: one that fails, since the connection is closed just then, would end
 * the process as an unhandled rejection.
 */
function ownRenewals(connection: RedisConnection): void {
  const subscribe = connection.subscribe as (...channels: unknown[]) => Promise<unknown>;
  const owned = (...channels: unknown[]) => {
    const answer = subscribe.apply(connection, channels);
    answer.catch(() => undefined);
    return answer;
  };
  connection.subscribe = owned as typeof connection.subscribe;
}

function accessOf({ username, password, tls }: Pick<ClusterAddress, 'username' | 'password' | 'tls'>): SharedOptions {
  return {
    ...(username === null ? {} : { username }),
    ...(password === null ? {} : { password }),
    ...(tls ? { tls: {} } : {}),
  };
}
