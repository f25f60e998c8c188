import { isIP } from 'node:net';
import { ChorusError } from '@chorus/contract';

const MAX_LENGTH = 2_000;
const FIRST_FREE_PORT = 1_024;

/** Ports of other protocols above 1023. The Fetch standard blocks them in browsers, too. */
const BAD_PORTS = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080,
]);

export const notAllowed = (rule: string): ChorusError => new ChorusError('url_not_allowed', `The URL ${rule}.`);

/** The same error for unknown and private hosts, so that it reveals nothing about internal names. */
export const notPublic = (): ChorusError => notAllowed('must name a host with a public address');

/**
 * Parses and checks a URL from a user. Host names are checked when connecting.
 * @param isAllowed decides on hosts that are written as IP addresses
 * @throws {ChorusError} url_not_allowed, with the broken rule
 */
export function parseAddress(text: string, isAllowed: (address: string) => boolean, base?: URL): URL {
  const url = text.length <= MAX_LENGTH ? URL.parse(text, base) : null;
  if (url === null) throw notAllowed(`must be a whole URL of at most ${MAX_LENGTH} characters`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw notAllowed('must begin with http:// or https://');
  if (url.username !== '' || url.password !== '') throw notAllowed('must not carry a user name or password');
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  if (port !== 80 && port !== 443 && (port < FIRST_FREE_PORT || BAD_PORTS.has(port)))
    throw notAllowed('must use port 80, 443, or one from 1024 on that no other protocol uses');
  const host = hostOf(url);
  if (host === '' || (isIP(host) !== 0 && !isAllowed(host))) throw notPublic();
  url.hash = '';
  return url;
}

export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');
