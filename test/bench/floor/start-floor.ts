import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Peer } from '../portkey.ts';

const MAIN = fileURLToPath(new URL('floor-main.ts', import.meta.url));

/**
 * Starts the least that any platform of these parts does for a turn: HTTP, one insert, BullMQ, a worker, a log in Redis
 * with pub/sub, SSE, one update. It has no users, limits, fairness, fences, takeover, feed, or resumable streams.
 *
 * @param provider base URL of the provider that it calls
 */
export async function startFloor(provider: string): Promise<Peer> {
  const child = fork(MAIN, [provider]);
  const [url] = await once(child, 'message');
  return { url: url as string, pid: child.pid as number, stop: () => child.kill() };
}
