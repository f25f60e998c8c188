import { randomBytes } from 'node:crypto';
import type { Database } from '@chorus/database';
import type { Config } from '@chorus/runtime/config';
import { AssetUrls } from './asset-urls.ts';

export interface Addresses {
  /** Public origin of this server, without a trailing slash. May end with a path. */
  baseUrl: string;
  assetUrls: AssetUrls;
  /** Address of a trace, with `{trace_id}`. Absent: traces are not shown. */
  traceUrl?: string | null;
}

type HttpConfig = Pick<Config['http'], 'publicUrl' | 'host' | 'port' | 'tls'>;

/**
 * Returns the addresses for processes that handle no requests: `PUBLIC_URL`, else the listening address.
 *
 * @throws {ChorusError} `store_unavailable`
 */
export async function openAddresses(
  { secrets }: Pick<Database, 'secrets'>,
  config: { http: HttpConfig; assets: Pick<Config['assets'], 'urlTtlS'>; traceUrlTemplate?: string | null },
): Promise<Addresses> {
  const secret = await secrets.getOrCreate('asset_urls', randomBytes(32).toString('base64url'));
  const baseUrl = config.http.publicUrl ?? listeningUrl(config.http);
  const { traceUrlTemplate: traceUrl = null } = config;
  return { baseUrl, assetUrls: new AssetUrls({ secret, baseUrl, ttlS: config.assets.urlTtlS }), traceUrl };
}

/** Returns the same addresses at another origin. */
export function addressesAt(baseUrl: string, { assetUrls, ...others }: Addresses): Addresses {
  return { ...others, baseUrl, assetUrls: assetUrls.at(baseUrl) };
}

/** Replaces a wildcard host with loopback, since clients cannot connect to a wildcard. */
function listeningUrl({ host, port, tls }: HttpConfig): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `${tls ? 'https' : 'http'}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
