import { Redis } from 'ioredis';
import { freePort } from './free-port.ts';
import { type ServerProcess, startProcess, waitUntilReady } from './server-process.ts';

/** One redis-server among several that work together, on a TCP port of the loopback. */
export interface RedisNode {
  readonly port: number;
  readonly server: ServerProcess;
  /** A connection for the test's own commands. */
  readonly client: Redis;
}

/** Starts a redis-server that keeps nothing on disk and syncs its replicas at once. `args` come after those, a configuration file before. */
export async function startRedisNode(folder: string, args: string[]): Promise<RedisNode> {
  const port = await freePort();
  const common = ['--dir', folder, '--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const server = startProcess('redis-server', [...common, '--repl-diskless-sync-delay', '0', ...args]);
  return { port, server, client: await connectTo(server, port) };
}

/** Connects to a server that is just starting, and waits until it answers. */
export async function connectTo(server: ServerProcess, port: number): Promise<Redis> {
  const client = new Redis({ port, retryStrategy: () => 10, maxRetriesPerRequest: null });
  client.on('error', () => undefined); // it is just starting
  await waitUntilReady(server, async () => ((await client.ping()) === 'PONG' ? true : undefined));
  return client;
}

/** Waits until what a node's INFO says passes. */
export async function untilInfo({ server, client }: RedisNode, section: string, passes: (info: string) => boolean) {
  await waitUntilReady(server, async () => (passes(await client.info(section)) ? true : undefined));
}

/**
 * Cuts replicas off from their primary, which goes on acknowledging writes: what it takes from now on is lost when it dies and one of them
 * follows it.
 */
export async function cutOffReplicas(primary: RedisNode, replicas: readonly RedisNode[]): Promise<void> {
  // A replica that gives a password where none is asked for is turned away each time that it comes back.
  await Promise.all(replicas.map(({ client }) => client.config('SET', 'masterauth', 'not-asked-for')));
  await primary.client.call('CLIENT', 'KILL', 'TYPE', 'replica');
  await untilInfo(primary, 'replication', (info) => info.includes('connected_slaves:0'));
}

/** Ends nodes at once. */
export async function endNodes(nodes: readonly RedisNode[]): Promise<void> {
  for (const { client } of nodes) client.disconnect();
  await Promise.all(nodes.map(({ server }) => server.end('SIGKILL')));
}
