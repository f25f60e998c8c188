import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { refusalHeaders } from '@chorus/accounts';
import { type ChorusError, isOpenAiPath, openAiStatus, toErrorBody, toOpenAiError } from '@chorus/contract';

/** Answers a refused upgrade request like any other error, and closes its connection. */
export function refuseUpgrade(
  socket: Duplex,
  error: ChorusError,
  {
    url = '',
    requestId,
    headers = {},
  }: { url?: string | undefined; requestId: string; headers?: Record<string, string> },
): void {
  if (!socket.writable) return void socket.destroy();
  const shown = toErrorBody(error, requestId);
  const isOpenAi = isOpenAiPath(url);
  const status = isOpenAi ? openAiStatus(error) : error.status;
  const body = JSON.stringify({ error: isOpenAi ? toOpenAiError(shown) : shown });
  const all = {
    'X-Request-ID': requestId,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...headers,
    ...refusalHeaders(error),
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`, () => socket.destroy());
}
