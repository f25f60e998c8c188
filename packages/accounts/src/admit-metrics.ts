import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { ChorusError } from '@chorus/contract';

/** A request, with the client's address if proxies are trusted. */
type MetricsRequest = Pick<IncomingMessage, 'socket' | 'headers'> & { ip?: string | undefined };

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * Allows reading the metrics from this machine or with the token.
 * @param token `METRICS_TOKEN`
 * @throws {ChorusError} unauthorized
 */
export function admitMetrics(request: MetricsRequest, token: string | null): void {
  if (isLocal(request)) return;
  const [, given = ''] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  if (token !== null && timingSafeEqual(hash(given), hash(token))) return;
  throw new ChorusError(
    'unauthorized',
    token === null
      ? 'Metrics are only open to this machine. Set METRICS_TOKEN to open them to others.'
      : 'Send METRICS_TOKEN as Authorization: Bearer <token>.',
  );
}

/**
 * Returns whether a request comes from this machine itself, rather than through a proxy on it, and names it. A page
 * whose host name points here names another host.
 */
function isLocal({ socket, ip = socket.remoteAddress, headers }: MetricsRequest): boolean {
  if (!/^([\w-]+\.)*localhost(:\d+)?$/i.test(headers.host ?? '') && !isLoopback(headers.host ?? '')) return false;
  const forwarded = [headers['x-forwarded-for'], headers['x-real-ip'], forwardedFor(headers.forwarded)];
  const named = forwarded.flatMap((value) => (value === undefined ? [] : String(value).split(',')));
  return [socket.remoteAddress ?? '', ip ?? '', ...named].every(isLoopback);
}

/** Returns the addresses of a `Forwarded` header (RFC 7239). Entries without an address count as unknown. */
function forwardedFor(header: string | undefined): string | undefined {
  return header
    ?.split(',')
    .map((element) => /(?:^|;)\s*for="?([^";]*)"?/i.exec(element)?.[1] ?? 'unknown')
    .join();
}

function isLoopback(given: string): boolean {
  // Removes the port, and the brackets of an IPv6 address.
  const address = given
    .trim()
    .replace(/^\[(.*)\](:\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
  const version = isIP(address);
  return version !== 0 && loopback.check(address, version === 4 ? 'ipv4' : 'ipv6');
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
