import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { cutOffReplicas, endNodes, type RedisNode, startRedisNode, untilInfo } from './redis-node.ts';
import { waitUntilReady } from './server-process.ts';

export interface TestRedisCluster {
  /** `redis://127.0.0.1:<port>` of each node, separated by commas. */
  readonly url: string;
  /** Returns the index of the primary that initially owns a key. */
  primaryOf(key: string): Promise<number>;
  cutOffReplicas(primary: number): Promise<void>;
  kill(primary: number): Promise<void>;
  stop(): Promise<void>;
}

const PRIMARIES = 3;
const SLOTS = 16_384;

const NODE_TIMEOUT_MS = 1_500;

interface ClusterNode extends RedisNode {
  busPort: number;
}

/** Starts a real Redis Cluster on the loopback, without persistence: three primaries with replicas. */
export async function startRedisCluster({ replicas = 0 } = {}): Promise<TestRedisCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'chc-'));
  const count = PRIMARIES * (1 + replicas);
  const nodes = await Promise.all(Array.from({ length: count }, (_, index) => startNode(folder, index)));
  const primaries = nodes.slice(0, PRIMARIES);
  const replicasOf = (primary: number) => nodes.slice(PRIMARIES).filter((_, index) => index % PRIMARIES === primary);
  const primaryAt = (index: number): ClusterNode => {
    const node = primaries[index];
    if (!node) throw new Error(`there is no primary ${index}`);
    return node;
  };
  const stop = async () => {
    await endNodes(nodes);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await Promise.all(primaries.map(({ client }, index) => client.call('CLUSTER', 'ADDSLOTSRANGE', ...slotsOf(index))));
    await meet(nodes);
    await Promise.all(primaries.map((primary, index) => follow(primary, replicasOf(index))));
    await Promise.all(nodes.map((node) => untilWhole(node, count)));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: nodes.map(({ port }) => `redis://127.0.0.1:${port}`).join(','),
    primaryOf: async (key) => {
      const slot = Number(await primaryAt(0).client.call('CLUSTER', 'KEYSLOT', key));
      return primaries.findIndex((_, index) => slot <= slotsOf(index)[1]);
    },
    cutOffReplicas: (primary) => cutOffReplicas(primaryAt(primary), replicasOf(primary)),
    kill: (primary) => primaryAt(primary).server.end('SIGKILL'),
    stop,
  };
}

function slotsOf(primary: number): [first: number, last: number] {
  const from = (index: number) => Math.floor((index * SLOTS) / PRIMARIES);
  return [from(primary), from(primary + 1) - 1];
}

async function startNode(folder: string, index: number): Promise<ClusterNode> {
  const busPort = await freePort();
  const args = ['--cluster-enabled', 'yes', '--cluster-config-file', `node-${index}.conf`];
  args.push('--cluster-port', String(busPort), '--cluster-node-timeout', String(NODE_TIMEOUT_MS));
  return { ...(await startRedisNode(folder, args)), busPort };
}

async function meet(nodes: ClusterNode[]): Promise<void> {
  // Unique epochs avoid conflicts that nodes would have to resolve first.
  await Promise.all(nodes.map(({ client }, index) => client.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1)));
  // Pairwise, because gossip would take seconds.
  const pairs = nodes.flatMap((node, index) => nodes.slice(index + 1).map((other) => [node, other] as const));
  await Promise.all(
    pairs.map(([{ client }, { port, busPort }]) => client.call('CLUSTER', 'MEET', '127.0.0.1', port, busPort)),
  );
  await Promise.all(nodes.map((node) => untilKnown(node, nodes.length)));
}

const untilKnown = ({ server, client }: ClusterNode, count: number) =>
  waitUntilReady(server, async () => {
    const known = String(await client.call('CLUSTER', 'NODES'))
      .trim()
      .split('\n');
    return known.length === count && !known.some((line) => line.includes('handshake')) ? true : undefined;
  });

async function follow(primary: ClusterNode, replicas: ClusterNode[]): Promise<void> {
  const id = String(await primary.client.call('CLUSTER', 'MYID'));
  await Promise.all(
    replicas.map(async (replica) => {
      await replica.client.call('CLUSTER', 'REPLICATE', id);
      await untilInfo(replica, 'replication', (info) => info.includes('master_link_status:up'));
    }),
  );
}

const untilWhole = ({ server, client }: ClusterNode, count: number) =>
  waitUntilReady(server, async () => {
    const info = String(await client.call('CLUSTER', 'INFO'));
    const following = String(await client.call('CLUSTER', 'NODES')).match(/\bslave\b/g) ?? [];
    return info.includes('cluster_state:ok') && following.length === count - PRIMARIES ? true : undefined;
  });
