interface Access {
  username: string | null;
  password: string | null;
  tls: boolean;
}

interface Endpoint {
  host: string;
  port: number;
}

export interface ClusterAddress extends Access {
  nodes: Endpoint[];
}

export interface SentinelAddress extends Access {
  sentinels: Endpoint[];
  name: string;
  db: number;
  sentinelUsername: string | null;
  sentinelPassword: string | null;
}

export const CLUSTER_URL_FORM = 'redis://[user:password@]host:port of one or more nodes, separated by commas';
export const SENTINEL_URL_FORM =
  'redis+sentinel://[user:password@]host:port,host:port/<name of the primary>[/<database>]';

/**
 * Reads `redis://…` or, with TLS, `rediss://…` of several nodes, separated by commas. Uses the login of the
 * first one. Null: invalid.
 */
export function parseClusterUrl(url: string): ClusterAddress | null {
  const texts = url.split(',').map((text) => text.trim());
  if (!texts.every((text) => /^rediss?:\/\/[^/]/.test(text) && URL.canParse(text))) return null;
  const urls = texts.map((text) => new URL(text));
  const login = loginOf(urls[0]?.username ?? '', urls[0]?.password ?? '');
  return login && { ...login, tls: url.startsWith('rediss:'), nodes: urls.map((each) => endpointOf(each, 6_379)) };
}

const SENTINEL_URL =
  /^redis(s?)\+sentinel:\/\/(?:([^:@/?#]*)(?::([^@/?#]*))?@)?([^@/?#]+)\/([^/?#]+)(?:\/(\d{1,3}))?(?:\?([^#]*))?$/;
const SENTINEL_OPTIONS = ['sentinel_username', 'sentinel_password'];

export const isSentinelUrl = (url: string): boolean => /^rediss?\+sentinel:/.test(url);

/**
 * Parses the common URL form of a Redis behind sentinels. `rediss+sentinel://` uses TLS. The query may contain
 * `sentinel_username` and `sentinel_password`. Null: invalid.
 */
export function parseSentinelUrl(url: string): SentinelAddress | null {
  const [found, tls, username = '', password = '', hosts = '', name = '', db = '0', query] =
    SENTINEL_URL.exec(url) ?? [];
  const texts = hosts.split(',').map((host) => `redis://${host.trim()}`);
  const options = new URLSearchParams(query);
  const login = loginOf(username, password);
  const known = [...options.keys()].every((key) => SENTINEL_OPTIONS.includes(key));
  if (found === undefined || !login || !known || !texts.every((text) => URL.canParse(text))) return null;
  return {
    ...login,
    tls: tls === 's',
    sentinels: texts.map((text) => endpointOf(new URL(text), 26_379)),
    name,
    db: Number(db),
    sentinelUsername: options.get('sentinel_username'),
    sentinelPassword: options.get('sentinel_password'),
  };
}

function endpointOf({ hostname, port }: URL, defaultPort: number): Endpoint {
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || defaultPort) };
}

function loginOf(username: string, password: string): Omit<Access, 'tls'> | null {
  try {
    return { username: decodeURIComponent(username) || null, password: decodeURIComponent(password) || null };
  } catch {
    return null;
  }
}
