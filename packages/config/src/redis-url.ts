/** What is the same for all servers that one URL names. */
interface Access {
  username: string | null;
  password: string | null;
  tls: boolean;
}

interface Endpoint {
  host: string;
  port: number;
}

/** Nodes of a Redis Cluster; they say who the others are. */
export interface ClusterAddress extends Access {
  nodes: Endpoint[];
}

/** A primary that sentinels watch; they say where it is. */
export interface SentinelAddress extends Access {
  sentinels: Endpoint[];
  /** What the sentinels call the primary. */
  name: string;
  db: number;
  /** For sentinels that want a login of their own. */
  sentinelUsername: string | null;
  sentinelPassword: string | null;
}

export const CLUSTER_URL_FORM = 'redis://[user:password@]host:port of one or more nodes, separated by commas';
export const SENTINEL_URL_FORM =
  'redis+sentinel://[user:password@]host:port,host:port/<name of the primary>[/<database>]';

/** Reads `redis://…` or, with TLS, `rediss://…` of several nodes, separated by commas; the first one's login counts. Null: it is none. */
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
 * Reads the URL that is customary for a Redis behind sentinels; `rediss+sentinel://` is with TLS, and a query with `sentinel_username`
 * and `sentinel_password` is for sentinels that want a login of their own. Null: it is none.
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

/** The parts of a URL as they are meant; null where a % escapes nothing. */
function loginOf(username: string, password: string): Omit<Access, 'tls'> | null {
  try {
    return { username: decodeURIComponent(username) || null, password: decodeURIComponent(password) || null };
  } catch {
    return null;
  }
}
