import { readFileSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  STATUS_CODES,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { ConfigError } from '@chorus/config';
import { ChorusError, isRealtimePath, toErrorBody } from '@chorus/contract';
import { boundConnections, type ConnectionBounds } from './bound-connections.ts';

/** How long connections may take, or do nothing. None of these cuts a request that was received whole, however long its answer takes. */
export interface ConnectionTimeouts {
  /** Until the headers of a request are there; also until anything comes on a new connection, and until TLS is agreed on. */
  headersMs: number;
  /** Until a whole request is there: an upload of a gigabyte over a slow line. Readers of bodies have closer limits. */
  requestMs: number;
  /** Between two requests. */
  keepAliveMs: number;
  /** How often all of these are looked at. */
  checkMs: number;
}

const TIMEOUTS: ConnectionTimeouts = {
  headersMs: 20_000,
  requestMs: 3_600_000,
  keepAliveMs: 20_000,
  checkMs: 2_000,
};

/** Longer than the idle time of common proxies, so that they and not we close idle connections. */
const PROXY_KEEP_ALIVE_MS = 75_000;

/** How often a closing server looks for connections that have become idle. */
const SWEEP_MS = 50;

export interface ListenOptions extends ConnectionBounds {
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** PEM files; null: without TLS. */
  tls: { certFile: string; keyFile: string } | null;
  /** Absent: those that are usual, with a longer keep-alive where a proxy is in front. */
  timeouts?: Partial<ConnectionTimeouts>;
}

/**
 * Listens.
 *
 * @throws {ConfigError} when the port is taken or may not be used, or the files of TLS are not what they must be
 */
export async function listen(
  listener: RequestListener,
  { host, port, tls, timeouts, ...bounds }: ListenOptions,
): Promise<{ server: Server; port: number }> {
  const keepAliveMs = bounds.isProxy === undefined ? TIMEOUTS.keepAliveMs : PROXY_KEEP_ALIVE_MS;
  const { headersMs, requestMs, checkMs, ...limits } = { ...TIMEOUTS, keepAliveMs, ...timeouts };
  const options = {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: checkMs,
    // A request that wants another protocol where none is spoken is answered as if it did not want it, which RFC 9110 allows.
    shouldUpgradeCallback: ({ url, headers }: IncomingMessage) =>
      isRealtimePath(url ?? '') && headers.upgrade?.toLowerCase() === 'websocket',
  };
  const server =
    tls === null
      ? createServer(options, listener)
      : createSecure(tls, { ...options, handshakeTimeout: headersMs }, listener);
  server.on('clientError', answerUnreadable);
  boundConnections(server, bounds, (socket) => {
    if (tls === null) end(socket, 503, new ChorusError('overloaded', 'Too many connections of one address.'));
    else socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(asConfigError(error, host, port)));
    server.listen(port, host, resolve);
  });
  return { server, port: (server.address() as AddressInfo).port };
}

function createSecure(
  { certFile, keyFile }: { certFile: string; keyFile: string },
  options: ServerOptions & TlsOptions,
  listener: RequestListener,
): Server {
  const cert = readPem('TLS_CERT_FILE', certFile);
  const key = readPem('TLS_KEY_FILE', keyFile);
  try {
    return createSecureServer({ ...options, cert, key }, listener);
  } catch {
    // What OpenSSL says may quote the key.
    throw new ConfigError(['TLS_CERT_FILE and TLS_KEY_FILE must be PEM files of a certificate and its private key']);
  }
}

function readPem(name: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    throw new ConfigError([`${name} can't be read`]);
  }
}

/** Stops accepting, lets running requests end, and after `graceMs` cuts those that haven't. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  // Node closes those that are idle now; those that become idle would be kept for the next request.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  await closed;
  clearTimeout(timer);
  clearInterval(sweep);
}

function asConfigError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE') return new ConfigError([`PORT ${port} on ${host} is taken by another process`]);
  if (error.code === 'EACCES') return new ConfigError([`PORT ${port} may not be used by this user`]);
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new ConfigError(['HOST is no address of this machine']);
  }
  return error;
}

/** Answers what could not be read as HTTP in the contract's shape, too. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [status, message] = UNREADABLE[error.code ?? ''] ?? [400, 'The request could not be read as HTTP.'];
  end(socket, status, new ChorusError('invalid_request', message));
}

const UNREADABLE: Readonly<Record<string, [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not come in time.'],
};

/** Says a last word on a connection, and closes it whether or not the other side does. */
function end(socket: Socket, status: number, error: ChorusError): void {
  const body = JSON.stringify({ error: { ...toErrorBody(error, null), status } });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroySoon();
}
