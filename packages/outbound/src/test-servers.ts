import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { setDefaultCACertificates } from 'node:tls';
import { makeCertificate } from '@chorus/testing';
import { onTestFinished } from 'vitest';
import type { Lookup } from './resolve-host.ts';

/** Test servers use 127.0.0.1. 127.0.0.2 is a private address. */
export const ONLY_LOOPBACK = [{ address: '127.0.0.1', prefix: 32, family: 'ipv4' }] as const;

/** Only knows these names. A list of lists is returned one after the other, as in DNS rebinding. */
export function namesOf(names: Record<string, string[] | string[][]>): Lookup & { asked: string[] } {
  const asked: string[] = [];
  const lookup: Lookup = async (hostname) => {
    asked.push(hostname);
    const known = names[hostname] ?? [];
    const turns = known.every((one) => typeof one === 'string') ? [known] : known;
    const addresses = turns[Math.min(asked.filter((name) => name === hostname).length, turns.length) - 1] ?? [];
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return Object.assign(lookup, { asked });
}

export async function serve(handle: RequestListener, host = '127.0.0.1') {
  return listen(createServer(handle), host);
}

export async function serveBytes(bytes: string) {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.write(bytes));
  });
  return listen(server, '127.0.0.1');
}

/** Starts a TLS server for `secure.test`, whose certificate this process accepts. */
export async function serveSecurely(handle: RequestListener, trusted = true) {
  const { cert, key } = makeCertificate('DNS:secure.test');
  if (trusted) setDefaultCACertificates([cert]);
  return listen(createTlsServer({ key, cert }, handle), '127.0.0.1');
}

async function listen(server: Server, host: string) {
  const seen = { connections: 0 };
  server.on('connection', (socket) => {
    seen.connections += 1;
    onTestFinished(() => void socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => void server.close());
  return Object.assign(seen, { port: (server.address() as AddressInfo).port });
}
