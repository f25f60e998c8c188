import { Redis } from 'ioredis';
import { freePort } from './free-port.ts';
import { type ServerProcess, startProcess, waitUntilReady } from './server-process.ts';

export interface RedisNode {
  readonly port: number;
  readonly server: ServerProcess;
  readonly client: Redis;
}

/** Starts a redis-server without persistence that syncs its replicas at once. `args` follow its own arguments. */
export async function startRedisNode(folder: string, args: string[]): Promise<RedisNode> {
  const port = await freePort();
  const common = ['--dir', folder, '--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const server = startProcess('redis-server', [...common, '--repl-diskless-sync-delay', '0', ...args]);
  return { port, server, client: await connectTo(server, port) };
}

export async function connectTo(server: ServerProcess, port: number): Promise<Redis> {
  const client = new Redis({ port, retryStrategy: () => 10, maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  await waitUntilReady(server, async () => ((await client.ping()) === 'PONG' ? true : undefined));
  return client;
}

export async function untilInfo({ server, client }: RedisNode, section: string, passes: (info: string) => boolean) {
  await waitUntilReady(server, async () => (passes(await client.info(section)) ? true : undefined));
}

/**
 * Cuts replicas off from their primary, which still acknowledges writes. Those writes are lost when it dies and
 * a replica takes over.
 */
export async function cutOffReplicas(primary: RedisNode, replicas: readonly RedisNode[]): Promise<void> {
  // A primary without a password rejects replicas that send one, at every reconnect.
  await Promise.all(replicas.map(({ client }) => client.config('SET', 'masterauth', 'not-asked-for')));
  await primary.client.call('CLIENT', 'KILL', 'TYPE', 'replica');
  await untilInfo(primary, 'replication', (info) => info.includes('connected_slaves:0'));
}

export async function endNodes(nodes: readonly RedisNode[]): Promise<void> {
  for (const { client } of nodes) client.disconnect();
  await Promise.all(nodes.map(({ server }) => server.end('SIGKILL')));
}
