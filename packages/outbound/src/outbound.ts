import type { IncomingMessage } from 'node:http';
import { type AddressRange, createAddressRules } from './address-rules.ts';
import { type Download, type DownloadOptions, download } from './download.ts';
import { hostOf, parseAddress } from './parse-address.ts';
import { type PostAnswer, type PostOptions, postJson } from './post-json.ts';
import { type OutboundAnswer, type OutboundRequest, toAnswer } from './request.ts';
import { createLookup, type Lookup, resolveHost } from './resolve-host.ts';
import { type RequestLimits, type RequestMethod, sendRequest } from './send-request.ts';

export interface OutboundOptions {
  allow: readonly AddressRange[];
  lookup?: Lookup;
  limits?: Partial<OutboundLimits>;
}

interface OutboundLimits extends RequestLimits {
  /** How long the body of a download may stall. A server may think for longer before it answers. */
  stallMs: number;
}

/**
 * Sends requests to URLs from users. They only reach public servers: all addresses of a host are checked, and the
 * connection uses a checked one, which defeats DNS rebinding. Sends no cookies and no referrer.
 */
export interface Outbound {
  /**
   * Checks the text of a URL, for an early refusal. Host names are checked when connecting.
   * @throws {ChorusError} url_not_allowed
   */
  check(url: string): void;
  /**
   * Checks a URL that another server will open, and the addresses of its host.
   * @throws {ChorusError} url_not_allowed
   * @throws {RequestFailure} unreachable
   */
  checkHost(url: string, signal: AbortSignal): Promise<void>;
  /**
   * Downloads to a file. Follows up to five redirects, each checked, never from https to http.
   * @throws {ChorusError} url_not_allowed · download_failed · payload_too_large; the signal's reason
   */
  download(url: string, path: string, options: DownloadOptions): Promise<Download>;
  /**
   * Posts serialized JSON, so that the signed bytes are the sent ones.
   * @throws {ChorusError} url_not_allowed
   * @throws {RequestFailure} without a response; or the signal's reason
   */
  postJson(url: string, body: string, options: PostOptions): Promise<PostAnswer>;
  /**
   * Sends any request. Returns when the headers of the response have arrived, for any status.
   * @throws {ChorusError} url_not_allowed · download_failed for an unknown encoding
   * @throws {RequestFailure} without a response, including when the signal aborts
   */
  request(url: string, options: OutboundRequest): Promise<OutboundAnswer>;
}

const DEFAULT_LIMITS: OutboundLimits = { connectMs: 8_000, idleMs: 20_000, stallMs: 10_000 };

export function createOutbound(options: OutboundOptions): Outbound {
  const isAllowed = createAddressRules(options.allow);
  const lookup = options.lookup ?? createLookup(options.allow.length > 0);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const parse = (text: string, base?: URL) => parseAddress(text, isAllowed, base);

  const send = async (
    url: URL,
    request: { method: RequestMethod; headers: Record<string, string>; body?: string; signal: AbortSignal },
    idleMs = limits.idleMs,
  ): Promise<IncomingMessage> => {
    const soon = AbortSignal.any([request.signal, AbortSignal.timeout(limits.connectMs)]);
    const addresses = await resolveHost(hostOf(url), isAllowed, lookup, soon);
    return sendRequest(url, addresses, { ...request, limits: { ...limits, idleMs } });
  };

  const get = async (url: URL, accept: string, signal: AbortSignal): Promise<IncomingMessage> => {
    const answer = await send(url, { method: 'GET', headers: { accept }, signal });
    answer.setTimeout(limits.stallMs);
    return answer;
  };

  return {
    check: (url) => void parse(url),
    checkHost: async (url, given) => {
      const signal = AbortSignal.any([given, AbortSignal.timeout(limits.connectMs)]);
      await resolveHost(hostOf(parse(url)), isAllowed, lookup, signal);
    },
    download: (url, path, given) => download({ parse, get }, url, path, given),
    postJson: async (url, body, given) => {
      const target = parse(url);
      const headers = {
        ...given.headers,
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
      };
      return postJson((signal) => send(target, { method: 'POST', headers, body, signal }), given);
    },
    request: async (url, { method, headers, body, maxBytes, idleMs, signal }) => {
      const request = { method, headers: { ...headers }, signal, ...(body !== undefined && { body }) };
      if (body !== undefined) request.headers['content-length'] = String(Buffer.byteLength(body));
      return toAnswer(await send(parse(url), request, idleMs), maxBytes);
    },
  };
}
