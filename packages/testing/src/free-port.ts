import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below those that systems give out by themselves (Linux from 32,768 on), to servers that ask for any and to each connection: what is found free
 * here is still free when its server comes to listen.
 */
const PORTS = { from: 20_000, to: 32_000 };
const MOST_TRIES = 1_000;

const given = new Set<number>();

/** A TCP port of the loopback that nobody listens on now, and that nobody else in this process is given. */
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
