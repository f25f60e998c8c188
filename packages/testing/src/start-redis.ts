import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { type ServerProcess, startProcess, waitUntilReady } from './server-process.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface TestRedis {
  /** `unix:///…/redis.sock`, or `redis://127.0.0.1:<port>` when a port was asked for. */
  readonly url: string;
  /** Always there, beside TCP too. */
  readonly socketPath: string;
  /** Of the process that runs now. */
  readonly pid: number;
  /** SIGKILL, as a crash. */
  kill(): Promise<void>;
  /** Starts again on the same data; kills it first if it runs. */
  restart(): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/**
 * A real redis-server of the test's own, from PATH: append-only file, no snapshots, `noeviction`, in a new folder. What it has acknowledged is
 * there again after a crash.
 * `port` opens TCP on the loopback too (0: a free one).
 */
export async function startRedis(options: { port?: number } = {}): Promise<TestRedis> {
  const folder = await temporaryFolder('chr-');
  const socketPath = join(folder, 'redis.sock');
  const port = options.port === 0 ? await freePort() : options.port;
  const args = ['--dir', folder, '--unixsocket', socketPath, '--port', String(port ?? 0), '--bind', '127.0.0.1'];
  args.push('--appendonly', 'yes', '--save', '', '--maxmemory-policy', 'noeviction', '--daemonize', 'no');
  // By 'everysec' it answers before it has written while the disk is still busy with the last second: a crash of the process then loses
  // what was acknowledged. Without a sync it writes before it answers, and only a crash of the machine loses that.
  args.push('--appendfsync', 'no');
  // Nobody needs the file of a server that lives for a minute to be made smaller.
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

/** Whether a Redis there has loaded its data: until then it answers a PING with an error. */
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
