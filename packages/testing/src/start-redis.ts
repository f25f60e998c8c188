import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { type ServerProcess, startProcess, waitUntilReady } from './server-process.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface TestRedis {
  /** `unix:///…/redis.sock`, or `redis://127.0.0.1:<port>` if a port was requested. */
  readonly url: string;
  /** Also available with TCP. */
  readonly socketPath: string;
  readonly pid: number;
  kill(): Promise<void>;
  /** Restarts on the same data. Kills a running process first. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a redis-server from PATH in a new folder: append-only file, no snapshots, `noeviction`. Acknowledged
 * writes survive a crash. `port` opens TCP on the loopback too (0: a free one).
 */
export async function startRedis(options: { port?: number } = {}): Promise<TestRedis> {
  const folder = await temporaryFolder('chr-');
  const socketPath = join(folder, 'redis.sock');
  const port = options.port === 0 ? await freePort() : options.port;
  const args = ['--dir', folder, '--unixsocket', socketPath, '--port', String(port ?? 0), '--bind', '127.0.0.1'];
  args.push('--appendonly', 'yes', '--save', '', '--maxmemory-policy', 'noeviction', '--daemonize', 'no');
  // With 'everysec', it may reply before it has written while the disk is busy, so a crash loses acknowledged writes.
  // With 'no', it writes before it replies, so only a crash of the machine loses data.
  args.push('--appendfsync', 'no');
  args.push('--auto-aof-rewrite-percentage', '0');

  const start = async (): Promise<ServerProcess> => {
    const server = startProcess('redis-server', args);
    await waitUntilReady(server, async () => ((await answersPing(socketPath)) ? true : undefined));
    return server;
  };
  let server = await start().catch(async (error) => {
    await rm(folder, { recursive: true, force: true });
    throw error;
  });

  return {
    url: port === undefined ? `unix://${socketPath}` : `redis://127.0.0.1:${port}`,
    socketPath,
    get pid() {
      return server.child.pid ?? 0;
    },
    kill: () => server.end('SIGKILL'),
    restart: async () => {
      await server.end('SIGKILL');
      server = await start();
    },
    stop: async () => {
      await server.end('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns whether a Redis has loaded its data. Until then, it answers PING with an error. */
function answersPing(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(1_000, () => settle(false));
    socket.once('error', () => settle(false));
    socket.once('connect', () => socket.write('PING\r\n'));
    socket.once('data', (data) => settle(data.toString().startsWith('+PONG')));
  });
}
