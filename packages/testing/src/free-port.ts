import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ephemeral range of systems (Linux: from 32,768), so a port that is free now is still free when its
 * server listens.
 */
const PORTS = { from: 20_000, to: 32_000 };
const MOST_TRIES = 1_000;

const given = new Set<number>();

export async function freePort(): Promise<number> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const port = randomInt(PORTS.from, PORTS.to);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
  throw new Error(`no port from ${PORTS.from} to ${PORTS.to} is free`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
