import { tmpdir } from 'node:os';
import { dirname, relative } from 'node:path';

/**
 * Returns what to hide of the Unix sockets that addresses name: their folders, since a restarted server makes another
 * socket, or the sockets themselves in folders that others need.
 */
export function socketPaths(redisUrl: string, mongodbUri: string): string[] {
  const sockets = [...redisSocket(redisUrl), ...mongodbSockets(mongodbUri)];
  const needed = [tmpdir(), process.cwd(), process.execPath];
  return sockets.map((socket) => (needed.some((path) => isWithin(path, dirname(socket))) ? socket : dirname(socket)));
}

function redisSocket(url: string): string[] {
  return url.startsWith('unix:') ? [decodeURIComponent(new URL(url).pathname)] : [];
}

function mongodbSockets(uri: string): string[] {
  const [, hosts = ''] = /^mongodb:\/\/(?:[^/@]*@)?([^/?]*)/.exec(uri) ?? [];
  return hosts.split(',').flatMap((host) => (/^%2f/i.test(host) ? [decodeURIComponent(host)] : []));
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !way.startsWith('..');
}
