import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { connectTo, cutOffReplicas, endNodes, type RedisNode, startRedisNode, untilInfo } from './redis-node.ts';
import { startProcess, waitUntilReady } from './server-process.ts';

export interface TestRedisSentinel {
  readonly url: string;
  cutOffReplica(): Promise<void>;
  killPrimary(): Promise<void>;
  stop(): Promise<void>;
}

const SENTINELS = 3;
const QUORUM = 2;
const NAME = 'chorus-test';

/** Silence after which a primary counts as dead. */
const DOWN_AFTER_MS = 1_000;

/** Starts a real primary with a replica and three sentinels on the loopback, without persistence. */
export async function startRedisSentinel(): Promise<TestRedisSentinel> {
  const folder = await mkdtemp(join(tmpdir(), 'chw-'));
  const nodes: RedisNode[] = [];
  const stop = async () => {
    await endNodes(nodes);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const primary = await startRedisNode(folder, ['--maxmemory-policy', 'noeviction']);
    nodes.push(primary);
    const replica = await startRedisNode(folder, ['--replicaof', `127.0.0.1 ${primary.port}`]);
    nodes.push(replica);
    await untilInfo(replica, 'replication', (info) => info.includes('master_link_status:up'));
    const sentinels = await Promise.all(
      Array.from({ length: SENTINELS }, (_, index) => startSentinel(join(folder, `sentinel-${index}.conf`), primary)),
    );
    nodes.push(...sentinels);
    await Promise.all(sentinels.map(untilReadyToDecide));
    return {
      url: `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${NAME}`,
      cutOffReplica: () => cutOffReplicas(primary, [replica]),
      killPrimary: () => primary.server.end('SIGKILL'),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startSentinel(file: string, primary: RedisNode): Promise<RedisNode> {
  const port = await freePort();
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `sentinel monitor ${NAME} 127.0.0.1 ${primary.port} ${QUORUM}`,
    `sentinel down-after-milliseconds ${NAME} ${DOWN_AFTER_MS}`,
    `sentinel failover-timeout ${NAME} 10000`,
  ];
  await writeFile(file, `${lines.join('\n')}\n`); // the sentinel writes its state to this file
  const server = startProcess('redis-server', [file, '--sentinel']);
  return { port, server, client: await connectTo(server, port) };
}

const untilReadyToDecide = ({ server, client }: RedisNode) =>
  waitUntilReady(server, async () => {
    const info = await client.info('sentinel');
    return info.includes(`slaves=1,sentinels=${SENTINELS}`) ? true : undefined;
  });
