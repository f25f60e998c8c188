import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessDefinition } from './process-definition.ts';

/**
 * Describes a Redis for this machine: private socket, append-only file, no eviction. Its configuration is written at
 * each start.
 * @param program the path of redis-server
 * @param folder for its data; created if it is missing
 * @param socket the path of its socket
 */
export function redisProcess(program: string, folder: string, socket: string): ProcessDefinition {
  const file = join(folder, 'redis.conf');
  return {
    name: 'redis',
    command: program,
    args: [file],
    // Its folder may have been deleted since the last start.
    prepare: () => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      removeUnfinished(folder);
      writeFileSync(file, redisConfiguration(folder, socket), { mode: 0o600 });
    },
    environment: {},
    stopStage: 2,
    readiness: async (ended) => {
      await untilRedisAnswers(socket, ended);
      return {};
    },
  };
}

/** Removes unfinished rewrites of a killed Redis, which Redis itself never cleans up. */
function removeUnfinished(folder: string): void {
  for (const place of [folder, join(folder, 'appendonlydir')]) {
    if (!existsSync(place)) continue;
    for (const name of readdirSync(place))
      if (/^temp-.*\.(aof|rdb)$/.test(name)) rmSync(join(place, name), { force: true });
  }
}

function redisConfiguration(folder: string, socket: string): string {
  const lines = [
    '# Written at each start.',
    'port 0',
    `unixsocket ${quote(socket)}`,
    'unixsocketperm 700',
    'daemonize no',
    `dir ${quote(folder)}`,
    'logfile ""',
    'save ""', // the append-only file is the record
    'appendonly yes',
    'appendfsync everysec',
    'maxmemory-policy noeviction', // queued jobs must not be evicted
    'hz 4', // the default of 10 uses a third of its idle CPU
  ];
  return `${lines.join('\n')}\n`;
}

function quote(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/**
 * Ends a Redis left by a supervisor that was killed before recording it. Its socket folder is private, so the
 * Redis is ours.
 */
export async function endStrayRedis(socket: string): Promise<void> {
  const answer = await ask(socket, 'PING');
  if (answer === undefined) return;
  // Its data is in the append-only file; without NOSAVE it might refuse.
  await ask(socket, 'SHUTDOWN NOSAVE');
  while ((await ask(socket, 'PING')) !== undefined) await delay(20);
}

async function untilRedisAnswers(socket: string, ended: AbortSignal): Promise<void> {
  // Replies -LOADING while it loads its file.
  while (!(await ask(socket, 'PING'))?.startsWith('+PONG')) await delay(10, undefined, { signal: ended });
}

/** Sends one command. @returns the first line of the reply, if any */
function ask(socket: string, command: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    connection.setTimeout(2000, () => connection.destroy());
    connection.on('connect', () => connection.write(`${command}\r\n`));
    connection.on('data', (chunk) => {
      resolve(chunk.toString());
      connection.destroy();
    });
    connection.on('error', () => {});
    connection.on('close', () => resolve(undefined));
  });
}
