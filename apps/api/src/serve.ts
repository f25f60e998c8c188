import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { ConfigError } from '@chorus/config';
import { ChorusError, isRealtimePath, toErrorBody } from '@chorus/contract';

/**
 * A client may take so long to send a whole request, in milliseconds: an upload of a gigabyte over a slow line. What reads a body has closer limits.
 */
const REQUEST_TIMEOUT_MS = 3_600_000;
/** Longer than the idle time of common proxies, so that they and not we close idle connections. */
const KEEP_ALIVE_MS = 75_000;

/** How often a closing server looks for connections that have become idle, in milliseconds. */
const SWEEP_MS = 50;

export interface ListenOptions {
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** PEM files; null: without TLS. */
  tls: { certFile: string; keyFile: string } | null;
}

/**
 * Listens.
 *
 * @throws {ConfigError} when the port is taken or may not be used, or the files of TLS are not what they must be
 */
export async function listen(
  listener: RequestListener,
  { host, port, tls }: ListenOptions,
): Promise<{ server: Server; port: number }> {
  const options = {
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // A request that wants another protocol where none is spoken is answered as if it did not want it, which RFC 9110 allows.
    shouldUpgradeCallback: ({ url, headers }: IncomingMessage) =>
      isRealtimePath(url ?? '') && headers.upgrade?.toLowerCase() === 'websocket',
  };
  const server = tls === null ? createServer(options, listener) : createSecure(tls, options, listener);
  server.on('clientError', answerUnreadable);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(asConfigError(error, host, port)));
    server.listen(port, host, resolve);
  });
  return { server, port: (server.address() as AddressInfo).port };
}

function createSecure(
  { certFile, keyFile }: { certFile: string; keyFile: string },
  options: ServerOptions,
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

/** What could not even be read as HTTP gets an answer of the contract's shape too. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const status = tooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request';
  const message = tooLarge ? 'The headers are too large.' : 'The request could not be read as HTTP.';
  const body = JSON.stringify({ error: toErrorBody(new ChorusError('invalid_request', message), null) });
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
