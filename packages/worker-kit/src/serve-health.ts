import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkRedisWrites } from '@chorus/events';
import { ConfigError } from '@chorus/runtime/config';
import { valueWithin } from '@chorus/runtime/timing';
import type { WorkerConnections } from './connect-worker.ts';

const RESPONSE_TIMEOUT_MS = 2_000;

export interface HealthServer {
  port: number;
  /** Marks the process as not ready. */
  stop(): void;
  close(): void;
}

/**
 * Answers probes for a process without other routes: `/healthz` while it is up, and `/readyz` while its stores take
 * writes and it accepts work.
 * @throws {ConfigError} when the port is taken
 */
export async function serveHealth(
  address: { host: string; port: number },
  { database, redis }: Pick<WorkerConnections, 'database' | 'redis'>,
): Promise<HealthServer> {
  let stopping = false;
  const check = async (ask: Promise<unknown>) =>
    (await valueWithin(
      ask.then(() => 'ok'),
      RESPONSE_TIMEOUT_MS,
    )) ?? 'failing';
  const ready = async () => {
    const [store, answer] = await Promise.all([check(database.checkWrites()), check(checkRedisWrites(redis))]);
    const ok = store === 'ok' && answer === 'ok';
    return { status: stopping ? 'stopping' : ok ? 'ok' : 'failing', store, redis: answer };
  };
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, async ({ url }, response) => {
    const answers: Record<string, () => { status: string } | Promise<{ status: string }>> = {
      '/healthz': () => ({ status: 'ok' }),
      '/readyz': ready,
    };
    const answer = await answers[url ?? '']?.();
    const status = answer === undefined ? 404 : answer.status === 'ok' ? 200 : 503;
    response.writeHead(status, { 'Content-Type': 'application/json', Connection: 'close' });
    response.end(JSON.stringify(answer ?? { error: 'This process answers probes alone.' }));
  });
  server.maxConnections = 20;
  server.listen(address.port, address.host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError([`HEALTH_PORT ${address.port} on ${address.host} can't be used (${code})`]);
  }
  return {
    port: (server.address() as AddressInfo).port,
    stop: () => {
      stopping = true;
    },
    close: () => void server.close(),
  };
}
