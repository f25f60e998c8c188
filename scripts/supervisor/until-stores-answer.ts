import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { publicAddress } from '../../packages/runtime/src/addresses/index.ts';
import type { Settings } from './settings.ts';

const LOOK_EVERY_MS = 500;
const CONNECT_WITHIN_MS = 3000;
const DEFAULT_PORTS = { REDIS_URL: 6379, MONGODB_URI: 27_017 };

/** Waits for external stores to accept connections. Reports the start and end of each wait once. */
export async function untilStoresAnswer(
  { redisUrl, mongodbUri }: Pick<Settings, 'redisUrl' | 'mongodbUri'>,
  say: (text: string) => void,
): Promise<void> {
  await Promise.all([until('REDIS_URL', redisUrl, say), until('MONGODB_URI', mongodbUri, say)]);
}

async function until(
  variable: keyof typeof DEFAULT_PORTS,
  url: string | undefined,
  say: (text: string) => void,
): Promise<void> {
  // DNS seed lists and invalid URLs are left to the processes.
  if (url === undefined || url.startsWith('mongodb+srv:')) return;
  const address = publicAddress(url);
  const port = url.includes('+sentinel:') ? 26_379 : DEFAULT_PORTS[variable];
  const places = address.split(',').map((place) => placeOf(place.trim(), port));
  for (let isFirst = true; ; isFirst = false) {
    const failures = await Promise.all(places.map(failureAt));
    if (failures.includes(null)) {
      if (!isFirst) say(`${variable}: ${address} answers.`);
      return;
    }
    if (isFirst) say(`${variable}: no answer from ${address} (${failures[0]}). Retrying until it answers …`);
    await delay(LOOK_EVERY_MS);
  }
}

function placeOf(text: string, defaultPort: number): { path: string } | { host: string; port: number } {
  if (text.startsWith('/')) return { path: text };
  const [, host = text, port] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(text) ?? [];
  return { host, port: Number(port ?? defaultPort) };
}

/** @returns why the place can't be reached; null if it can */
function failureAt(place: { path: string } | { host: string; port: number }): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect(place);
    const end = (failure: string | null) => {
      resolve(failure);
      socket.destroy();
    };
    socket.setTimeout(CONNECT_WITHIN_MS, () => end('no answer'));
    socket.once('connect', () => end(null));
    socket.once('error', (error) => end((error as NodeJS.ErrnoException).code ?? error.message));
  });
}
