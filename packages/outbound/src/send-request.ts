import type { LookupAddress } from 'node:dns';
import { Agent, type IncomingMessage, type OutgoingHttpHeaders, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as TlsAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import { type FailureReason, RequestFailure } from './request-failure.ts';

export interface RequestLimits {
  connectMs: number;
  idleMs: number;
}

export type RequestMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

interface Request {
  method: RequestMethod;
  headers: OutgoingHttpHeaders;
  body?: string;
  limits: RequestLimits;
  /** Ends the request at any time, even while the body is being read. */
  signal: AbortSignal;
}

// Connections are not reused, so each one has a checked address. Proxies of the environment are not used, since they
// would connect to unchecked addresses.
const agents = { 'http:': new Agent({ keepAlive: false }), 'https:': new TlsAgent({ keepAlive: false }) };

/** Sends a request to one of these addresses. Does not read the response body. @throws {RequestFailure} */
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
      // Before the connection, a timeout and a refusal look the same, so that an address reveals nothing.
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

function answering(addresses: readonly LookupAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
}
