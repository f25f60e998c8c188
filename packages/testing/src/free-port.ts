import { createServer } from 'node:net';

/** Ports that no system gives out by itself, to who listens on any or connects to somebody: between choosing one and listening there nobody comes. */
const FIRST = 10_000;
const LAST = 32_000;

/** Test processes that run side by side begin far from each other. */
let next = FIRST + ((process.pid * 97) % (LAST - FIRST));

/** A TCP port of the loopback that nobody listens on now, and that this process was not given before. */
export async function freePort(): Promise<number> {
  for (let tries = FIRST; tries < LAST; tries += 1) {
    const port = next;
    next = port === LAST ? FIRST : port + 1;
    if (await isFree(port)) return port;
  }
  throw new Error('no port is free');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
