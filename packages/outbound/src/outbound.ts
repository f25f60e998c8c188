import type { IncomingMessage } from 'node:http';
import { type AddressRange, createAddressRules } from './address-rules.ts';
import { type Download, type DownloadOptions, download } from './download.ts';
import { hostOf, parseAddress } from './parse-address.ts';
import { type PostAnswer, type PostOptions, postJson } from './post-json.ts';
import { createLookup, type Lookup, resolveHost } from './resolve-host.ts';
import { type RequestLimits, sendRequest } from './send-request.ts';

export interface OutboundOptions {
  /** Addresses that are not public and may be connected to all the same; none: public ones alone. */
  allow: readonly AddressRange[];
  /** How names are resolved; default: by the machine's name servers. */
  lookup?: Lookup;
  limits?: Partial<RequestLimits>;
}

/**
 * Requests to addresses that users name. They reach public servers alone: every address of a host is checked, and the connection is made
 * to one of those that were, so a name that changes between the two helps nobody. Nothing of ours is sent along: no cookies, no referrer.
 */
export interface Outbound {
  /**
   * Judges an address by its text, to refuse early what can't be right; its name is judged when it is connected to.
   * @throws {ChorusError} url_not_allowed
   */
  check(url: string): void;
  /**
   * Writes what the URL leads to into a file; up to five redirects are followed, each judged anew and never from https to http.
   * @throws {ChorusError} url_not_allowed · download_failed · payload_too_large; the signal's reason
   */
  download(url: string, path: string, options: DownloadOptions): Promise<Download>;
  /**
   * Posts JSON that is written already, so that what was signed is what is sent.
   * @throws {ChorusError} url_not_allowed
   * @throws {RequestFailure} no answer came; or the signal's reason
   */
  postJson(url: string, body: string, options: PostOptions): Promise<PostAnswer>;
}

const DEFAULT_LIMITS: RequestLimits = { connectMs: 8_000, idleMs: 20_000 };

export function createOutbound(options: OutboundOptions): Outbound {
  const isAllowed = createAddressRules(options.allow);
  const lookup = options.lookup ?? createLookup(options.allow.length > 0);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const parse = (text: string, base?: URL) => parseAddress(text, isAllowed, base);

  const send = async (
    url: URL,
    request: { method: 'GET' | 'POST'; headers: Record<string, string>; body?: string; signal: AbortSignal },
  ): Promise<IncomingMessage> => {
    const soon = AbortSignal.any([request.signal, AbortSignal.timeout(limits.connectMs)]);
    const addresses = await resolveHost(hostOf(url), isAllowed, lookup, soon);
    return sendRequest(url, addresses, { ...request, limits });
  };

  return {
    check: (url) => void parse(url),
    download: (url, path, given) =>
      download(
        { parse, get: (target, accept, signal) => send(target, { method: 'GET', headers: { accept }, signal }) },
        url,
        path,
        given,
      ),
    postJson: async (url, body, given) => {
      const target = parse(url);
      const headers = {
        ...given.headers,
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
      };
      return postJson((signal) => send(target, { method: 'POST', headers, body, signal }), given);
    },
  };
}
