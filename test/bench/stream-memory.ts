import { Agent, type ClientRequest, request } from 'node:http';
import type { BenchPlatform } from './platform.ts';
import { residentOf } from './process-family.ts';
import { heading, report } from './report.ts';

const FIRST = 1_000;
const MORE = 2_000;

/**
 * Measures the API's memory per open stream. Compares two numbers of streams to exclude warm-up; the executions
 * never end.
 */
export async function streamMemory(platform: BenchPlatform): Promise<void> {
  heading(`API memory per open stream (${MORE.toLocaleString('en')} beyond the first ${FIRST.toLocaleString('en')})`);
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });
  const open: ClientRequest[] = [];
  const before = await grow(platform, agent, open, FIRST);
  const after = await grow(platform, agent, open, MORE);
  report('kilobytes per stream', (((after - before) * 1_024) / MORE).toFixed(1), 'aim under 20');
  for (const one of open) one.destroy();
}

/** Opens streams and returns the API's resident memory in MB once it has settled. */
async function grow(platform: BenchPlatform, agent: Agent, open: ClientRequest[], count: number): Promise<number> {
  for (let done = 0; done < count; done += 50) {
    await Promise.all(Array.from({ length: 50 }, async () => open.push(await openStream(platform, agent))));
  }
  let lowest = Number.POSITIVE_INFINITY;
  for (let look = 0; look < 10; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    lowest = Math.min(lowest, residentOf(platform.pid, 'apps/api'));
  }
  return lowest;
}

function openStream(platform: BenchPlatform, agent: Agent): Promise<ClientRequest> {
  const body = JSON.stringify({ model: 'compatible/hang', stream: true, messages: [{ role: 'user', content: 'hi' }] });
  return new Promise((resolve, reject) => {
    const outgoing = request(`${platform.api}/chat/completions`, {
      method: 'POST',
      agent,
      headers: { ...platform.headers, 'content-length': Buffer.byteLength(body) },
    });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      if (response.statusCode !== 200) reject(new Error(`stream: ${response.statusCode}`));
      response.on('error', () => undefined);
      response.once('data', () => resolve(outgoing));
      response.resume();
    });
    outgoing.end(body);
  });
}
