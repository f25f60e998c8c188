import {
  type ClusterAddress,
  parseClusterUrl,
  parseSentinelUrl,
  publicAddress,
  type SentinelAddress,
} from '@chorus/runtime/addresses';
import type { Logger } from '@chorus/runtime/log';
import { Cluster, type Command, Redis, type RedisOptions } from 'ioredis';

export type RedisConnection = Redis | Cluster;

/** Options shared by single-server and cluster connections. */
type SharedOptions = Pick<
  RedisOptions,
  'maxRetriesPerRequest' | 'commandTimeout' | 'enableReadyCheck' | 'username' | 'password' | 'tls'
>;

export interface RedisConfig {
  /**
   * `redis://…`, `rediss://…`, `unix:///path/to/redis.sock`, `redis+sentinel://…` with the sentinels and the
   * primary's name, or several cluster nodes separated by commas.
   */
  url: string;
  cluster: boolean;
}

/**
 * How a connection behaves while Redis is down. A `request` fails within seconds, since a caller is waiting.
 * A `worker` waits until Redis is back, so that no work is lost.
 */
export type RedisRole = 'request' | 'worker';

const MAX_RECONNECT_DELAY_MS = 1_000;

const COMMAND_TIMEOUT_MS = 5_000;

/** Connection timeout if another server may take over from one that is down. */
const CONNECT_TIMEOUT_MS = 3_000;

/** Idle timeout for a pending reply. Blocking commands wait for less. */
const IDLE_TIMEOUT_MS = 15_000;

/** Interval of the cluster node refresh, which also detects hanging nodes. */
const REFRESH_NODES_MS = 5_000;

/** Retries of a worker's command during a cluster failover, one about every 100 ms. */
const WORKER_REDIRECTIONS = 600;

const delayOf = (times: number) => Math.min(times * 50, MAX_RECONNECT_DELAY_MS);

/** Opens a connection that reconnects with backoff and follows a failover to the new primary. */
export function connectRedis(config: RedisConfig, role: RedisRole): RedisConnection {
  const connection = openConnection(config, role);
  catchRenewalErrors(connection);
  if (connection instanceof Cluster) connection.on('+node', joinWrites);
  else joinWrites(connection);
  return connection;
}

/** Sends all commands of one turn of the event loop in a single write. ioredis makes a system call for each. */
function joinWrites(connection: Redis): void {
  connection.on('connect', () => {
    const { stream } = connection;
    const write = stream.write;
    let isOpen = true;
    stream.write = ((...args: Parameters<typeof write>) => {
      if (isOpen) {
        isOpen = false;
        stream.cork();
        setImmediate(() => {
          isOpen = true;
          stream.uncork();
        });
      }
      return write.apply(stream, args);
    }) as typeof write;
  });
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
  if (url.includes('+sentinel://')) return new Redis({ ...options, ...sentinelOptions(known(parseSentinelUrl(url))) });
  return new Redis(url, options);
}

function known<T>(address: T | null): T {
  if (address === null) throw new TypeError('not a Redis URL'); // validated with the configuration
  return address;
}

function connectCluster(address: ClusterAddress, role: RedisRole, shared: SharedOptions): Cluster {
  const Client = role === 'request' ? TimeoutCluster : Cluster;
  return new Client(address.nodes, {
    redisOptions: { ...shared, ...credentialsOf(address), connectTimeout: CONNECT_TIMEOUT_MS },
    clusterRetryStrategy: delayOf,
    slotsRefreshInterval: REFRESH_NODES_MS,
    ...(role === 'worker' ? { maxRedirections: WORKER_REDIRECTIONS } : {}),
    // Certificates name the host, not the address that it resolves to.
    ...(address.tls ? { dnsLookup: (host, answer) => answer(null, host) } : {}),
  });
}

/** Adds a timeout to commands that wait for the whole cluster. ioredis has none for them. */
class TimeoutCluster extends Cluster {
  override sendCommand(command: Command, ...more: unknown[]): unknown {
    command.setTimeout(COMMAND_TIMEOUT_MS);
    return super.sendCommand(command, ...(more as []));
  }
}

function sentinelOptions(address: SentinelAddress): RedisOptions {
  const { sentinels, name, db, sentinelUsername, sentinelPassword, tls } = address;
  return {
    ...credentialsOf(address),
    sentinels,
    name,
    db,
    ...(sentinelUsername === null ? {} : { sentinelUsername }),
    ...(sentinelPassword === null ? {} : { sentinelPassword }),
    ...(tls ? { sentinelTLS: {}, enableTLSForSentinelMode: true } : {}),
    connectTimeout: CONNECT_TIMEOUT_MS,
    sentinelCommandTimeout: CONNECT_TIMEOUT_MS,
    sentinelRetryStrategy: delayOf,
    // Detects a hanging primary. ioredis's own `failoverDetector` would close connections that are looking for
    // the new primary.
    socketTimeout: IDLE_TIMEOUT_MS,
    // The server has become a replica. The command is sent again, to the new primary.
    reconnectOnError: (error) => (error.message.includes('READONLY') ? 2 : false),
  };
}

/**
 * Handles rejections of renewed subscriptions. ioredis ignores their promises, so closing a connection during a
 * reconnect would crash the process.
 */
function catchRenewalErrors(connection: RedisConnection): void {
  const subscribe = connection.subscribe as (...channels: unknown[]) => Promise<unknown>;
  const owned = (...channels: unknown[]) => {
    const answer = subscribe.apply(connection, channels);
    answer.catch(() => undefined);
    return answer;
  };
  connection.subscribe = owned as typeof connection.subscribe;
}

function credentialsOf({
  username,
  password,
  tls,
}: Pick<ClusterAddress, 'username' | 'password' | 'tls'>): SharedOptions {
  return {
    ...(username === null ? {} : { username }),
    ...(password === null ? {} : { password }),
    ...(tls ? { tls: {} } : {}),
  };
}

type Run = (...args: (string | number)[]) => Promise<unknown>;

/** Registers a Lua script as a command. The keys come first and must be in one slot. */
export function defineScript(redis: RedisConnection, name: string, lua: string, numberOfKeys: number): Run {
  if (!(name in redis)) redis.defineCommand(name, { lua, numberOfKeys });
  const commands = redis as unknown as Record<string, Run>;
  return (...args) => (commands[name] as Run).apply(redis, args);
}

/** Connections that are down, by URL. They share one log line per process. */
const away = new Map<string, Set<RedisConnection>>();

/** Logs the start and the end of an outage once per URL. */
export function logOutages(connection: RedisConnection, { url }: RedisConfig, log: Logger): void {
  const address = publicAddress(url);
  const connections = away.get(url) ?? new Set();
  away.set(url, connections);
  const isBack = () => {
    if (connections.delete(connection) && connections.size === 0) log.warn(`REDIS_URL: ${address} answers again`);
  };
  connection.on('error', (error: NodeJS.ErrnoException) => {
    const isFirst = connections.size === 0;
    connections.add(connection);
    if (!isFirst) return;
    log.warn(`REDIS_URL: no answer from ${address} (${reasonOf(error)}); retrying until it answers`);
  });
  connection.on('ready', isBack);
  connection.on('end', () => connections.delete(connection));
}

function reasonOf({ code, message, name }: NodeJS.ErrnoException): string {
  return (code ?? message) || name;
}
