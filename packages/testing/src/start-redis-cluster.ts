import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from './free-port.ts';
import { type ServerProcess, startProcess, waitUntilReady } from './server-process.ts';

export interface TestRedisCluster {
  /** `redis://127.0.0.1:<port>` of each node, separated by commas. */
  readonly url: string;
  /** Ends all nodes and removes their data. */
  stop(): Promise<void>;
}

const NODES = 3;
const SLOTS = 16_384;

interface Node {
  server: ServerProcess;
  client: Redis;
  port: number;
  busPort: number;
}

/** A real Redis Cluster of the test's own: three masters on the loopback, no replicas, nothing kept on disk. */
export async function startRedisCluster(): Promise<TestRedisCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'chc-'));
  const nodes = await Promise.all(Array.from({ length: NODES }, (_, index) => startNode(folder, index)));
  const [first] = nodes;
  for (const [index, { client, port, busPort }] of nodes.entries()) {
    const range = [Math.floor((index * SLOTS) / NODES), Math.floor(((index + 1) * SLOTS) / NODES) - 1];
    await client.call('CLUSTER', 'ADDSLOTSRANGE', ...range);
    if (index > 0) await first?.client.call('CLUSTER', 'MEET', '127.0.0.1', port, busPort);
  }
  await Promise.all(
    nodes.map(({ server, client }) =>
      waitUntilReady(server, async () => {
        const info = String(await client.call('CLUSTER', 'INFO'));
        return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${NODES}`) ? true : undefined;
      }),
    ),
  );
  for (const { client } of nodes) client.disconnect();
  return {
    url: nodes.map(({ port }) => `redis://127.0.0.1:${port}`).join(','),
    stop: async () => {
      await Promise.all(nodes.map(({ server }) => server.end('SIGKILL')));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startNode(folder: string, index: number): Promise<Node> {
  const [port, busPort] = await Promise.all([freePort(), freePort()]);
  const args = ['--dir', folder, '--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  args.push(
    '--cluster-enabled',
    'yes',
    '--cluster-config-file',
    `node-${index}.conf`,
    '--cluster-port',
    String(busPort),
  );
  const server = startProcess('redis-server', args);
  const client = new Redis({ port, retryStrategy: () => 10, maxRetriesPerRequest: null });
  client.on('error', () => undefined); // it is just starting
  await waitUntilReady(server, async () => ((await client.ping()) === 'PONG' ? true : undefined));
  return { server, client, port, busPort };
}
