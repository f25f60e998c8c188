import { type LookupAddress, lookup as lookupInSystem } from 'node:dns';
import { NODATA, NOTFOUND, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import { notPublic } from './parse-address.ts';
import { RequestFailure } from './request-failure.ts';

/** Returns all addresses of a name. None: the name does not exist. */
export type Lookup = (hostname: string, signal: AbortSignal) => Promise<LookupAddress[]>;

const MAX_ADDRESSES = 8;
const TRY_MS = 2_000;

const askSystem = promisify(lookupInSystem);

/**
 * Returns the addresses of a host. One forbidden address refuses the host, since a name for internal and public
 * addresses is an attack.
 * @throws {ChorusError} url_not_allowed
 * @throws {RequestFailure} unreachable
 */
export async function resolveHost(
  host: string,
  isAllowed: (address: string) => boolean,
  lookup: Lookup,
  signal: AbortSignal,
): Promise<LookupAddress[]> {
  const version = isIP(host);
  const addresses =
    version === 0 ? await Promise.race([lookup(host, signal), failing(signal)]) : [{ address: host, family: version }];
  if (addresses.length === 0 || !addresses.every(({ address }) => isAllowed(address))) throw notPublic();
  return addresses.slice(0, MAX_ADDRESSES);
}

function failing(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const fail = () => reject(new RequestFailure('unreachable', signal.reason));
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}

/**
 * Asks name servers directly. With `dns.lookup`, a hostile name server could block the few threads of the process.
 * @param hostsFile whether to use names that only this machine knows, for allowed private addresses
 */
export function createLookup(hostsFile: boolean): Lookup {
  return async (hostname, signal) => {
    const found = await askNameServers(hostname, signal);
    return found.length > 0 || !hostsFile ? found : askSystem(hostname, { all: true }).catch(() => []);
  };
}

async function askNameServers(hostname: string, signal: AbortSignal): Promise<LookupAddress[]> {
  const resolver = new Resolver({ timeout: TRY_MS, tries: 2 });
  const stop = () => resolver.cancel();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found = answers.flatMap((answer, index) =>
      answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })) : [],
    );
    const failed = answers.find((answer) => answer.status === 'rejected' && !meansNone(answer.reason));
    if (found.length === 0 && failed?.status === 'rejected') throw new RequestFailure('unreachable', failed.reason);
    return found;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function meansNone(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === NODATA || code === NOTFOUND || code === 'EBADNAME';
}
