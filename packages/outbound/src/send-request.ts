import type { LookupAddress } from 'node:dns';
import { Agent, type IncomingMessage, type OutgoingHttpHeaders, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as TlsAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import { type FailureReason, RequestFailure } from './request-failure.ts';

export interface RequestLimits {
  /** Until a connection stands, TLS included. */
  connectMs: number;
  /** Without a byte. */
  idleMs: number;
}

interface Request {
  method: 'GET' | 'POST';
  headers: OutgoingHttpHeaders;
  body?: string;
  limits: RequestLimits;
  /** Ends the request at any time, while the answer's body is read too. */
  signal: AbortSignal;
}

// Each request has a connection of its own, so none is ever used for a host that was not looked up for it. No proxy of the environment
// is used either: it would connect to what was never checked.
const agents = { 'http:': new Agent({ keepAlive: false }), 'https:': new TlsAgent({ keepAlive: false }) };

/**
 * One request over a connection to one of these addresses, and to nothing else. The answer's body is unread.
 *
 * @throws {RequestFailure}
 */
export function sendRequest(url: URL, addresses: readonly LookupAddress[], request: Request): Promise<IncomingMessage> {
  const { method, headers, body = '', limits, signal } = request;
  const secure = url.protocol === 'https:';
  return new Promise((resolve, reject) => {
    let stage: FailureReason = 'unreachable';
    let answer: IncomingMessage | null = null;
    const outgoing = (secure ? requestHttps : requestHttp)(url, {
      method,
      headers: { 'user-agent': 'Chorus', 'accept-encoding': 'identity', ...headers },
      agent: agents[secure ? 'https:' : 'http:'],
      lookup: answering(addresses),
      signal,
    });
    const giveUp = () => (answer ?? outgoing).destroy(new RequestFailure('timeout'));
    const connecting = setTimeout(giveUp, limits.connectMs);
    outgoing.setTimeout(limits.idleMs, giveUp);
    outgoing.on('socket', (socket) => {
      socket.once('connect', () => {
        stage = secure ? 'insecure' : 'broken';
        if (!secure) clearTimeout(connecting);
      });
      socket.once('secureConnect', () => {
        stage = 'broken';
        clearTimeout(connecting);
      });
    });
    outgoing.on('close', () => clearTimeout(connecting));
    outgoing.on('error', (error) => {
      // Until a connection stands, no answer in time and a refusal are one: nothing tells what stands behind an address.
      const late = stage !== 'unreachable' && (error instanceof RequestFailure || signal.aborted);
      reject(new RequestFailure(late ? 'timeout' : stage, error));
    });
    outgoing.on('response', (incoming) => {
      answer = incoming;
      resolve(incoming);
    });
    outgoing.end(body);
  });
}

/** What the connection asks for a host's addresses; it gets those that were checked. */
function answering(addresses: readonly LookupAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
}
