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
import { networkOf } from '@chorus/accounts';
import { ChorusError, isRealtimePath, toErrorBody } from '@chorus/contract';
import { ConfigError } from '@chorus/runtime/config';

/** Time limits of connections. They don't limit how long a response may take. */
export interface ConnectionTimeouts {
  /** For a request's headers, the first data on a connection, and the TLS handshake. */
  headersMs: number;
  /** For a whole request, such as a large upload over a slow connection. Body readers have stricter limits. */
  requestMs: number;
  /** Between two requests. */
  keepAliveMs: number;
  /** How often these limits are checked. */
  checkMs: number;
}

const TIMEOUTS: ConnectionTimeouts = {
  headersMs: 20_000,
  requestMs: 3_600_000,
  keepAliveMs: 20_000,
  checkMs: 2_000,
};

/** Longer than the idle timeout of common proxies, so that they close idle connections first. */
const PROXY_KEEP_ALIVE_MS = 75_000;

/** How often a closing server looks for idle connections. */
const SWEEP_MS = 50;

export interface ListenOptions extends ConnectionBounds {
  host: string;
  /** 0 picks a free port. */
  port: number;
  /** PEM files. Null: no TLS. */
  tls: { certFile: string; keyFile: string } | null;
  /** Defaults depend on whether there is a proxy. */
  timeouts?: Partial<ConnectionTimeouts>;
}

/**
 * Creates a server and listens.
 * @throws {ConfigError} when the port is taken or not allowed, or the TLS files are invalid
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
    // Ignore other upgrades and answer the request normally, which RFC 9110 allows.
    shouldUpgradeCallback: ({ url, headers }: IncomingMessage) =>
      isRealtimePath(url ?? '') && headers.upgrade?.toLowerCase() === 'websocket',
  };
  const server =
    tls === null
      ? createServer(options, listener)
      : createSecure(tls, { ...options, handshakeTimeout: headersMs }, listener);
  server.on('clientError', answerUnreadable);
  boundConnections(server, bounds, (socket) => {
    if (tls === null) end(socket, 503, new ChorusError('overloaded', 'Too many connections from one address.'));
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
    // OpenSSL's message may quote the key.
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

/** Stops accepting connections, waits for running requests, and closes the rest after `graceMs`. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  // Node closes connections that are idle now. Later idle ones would stay open for another request.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  await closed;
  clearTimeout(timer);
  clearInterval(sweep);
}

function asConfigError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE') return new ConfigError([`PORT ${port} on ${host} is used by another process`]);
  if (error.code === 'EACCES') return new ConfigError([`PORT ${port} may not be used by this user`]);
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new ConfigError(['HOST is not an address of this machine']);
  }
  return error;
}

/** Answers malformed HTTP with an error in the contract's shape. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [status, message] = UNREADABLE[error.code ?? ''] ?? [400, 'The request is not valid HTTP.'];
  end(socket, status, new ChorusError('invalid_request', message));
}

const UNREADABLE: Readonly<Record<string, [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request was not complete in time.'],
};

/** Sends an error and closes the connection. */
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

interface ConnectionBounds {
  maxConnections: number;
  maxConnectionsPerAddress: number;
  /** Whether an address is a reverse proxy, which carries the connections of many clients. */
  isProxy?: (address: string) => boolean;
}

/** Closes connections beyond the limits. `refuse` may explain why to an address that has too many. */
function boundConnections(
  server: Server,
  { maxConnections, maxConnectionsPerAddress, isProxy }: ConnectionBounds,
  refuse: (socket: Socket) => void,
): void {
  server.maxConnections = maxConnections;
  const open = new Map<string, number>();
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? '';
    if (isProxy?.(address)) return;
    const network = networkOf(address);
    const count = (open.get(network) ?? 0) + 1;
    open.set(network, count);
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left > 0) open.set(network, left);
      else open.delete(network);
    });
    if (count > maxConnectionsPerAddress) refuse(socket);
  });
}
