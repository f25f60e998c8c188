import { randomBytes } from 'node:crypto';
import type { Config } from '@chorus/config';
import type { Database } from '@chorus/database';
import { AssetUrls } from './asset-urls.ts';

/** Builds the URLs in answers, events and webhooks. */
export interface Addresses {
  /** Origin of this server as clients reach it, without a trailing slash. May end with a path. */
  baseUrl: string;
  assetUrls: AssetUrls;
}

type HttpConfig = Pick<Config['http'], 'publicUrl' | 'host' | 'port' | 'tls'>;

/**
 * Opens the addresses that processes use where no request tells how clients reach the server. They start with `PUBLIC_URL`, else with the
 * address that the API listens on.
 *
 * @throws {ChorusError} `store_unavailable`
 */
export async function openAddresses(
  { secrets }: Pick<Database, 'secrets'>,
  config: { http: HttpConfig; assets: Pick<Config['assets'], 'urlTtlS'> },
): Promise<Addresses> {
  const secret = await secrets.getOrCreate('asset_urls', randomBytes(32).toString('base64url'));
  const baseUrl = config.http.publicUrl ?? listeningUrl(config.http);
  return { baseUrl, assetUrls: new AssetUrls({ secret, baseUrl, ttlS: config.assets.urlTtlS }) };
}

/** Returns the same addresses as they are reached at another origin. */
export function addressesAt(baseUrl: string, { assetUrls }: Addresses): Addresses {
  return { baseUrl, assetUrls: assetUrls.at(baseUrl) };
}

/** A wildcard address is no place to connect to, so loopback stands in for it. */
function listeningUrl({ host, port, tls }: HttpConfig): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `${tls ? 'https' : 'http'}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
