import { randomBytes } from 'node:crypto';
import type { Config } from '@chorus/config';
import type { Database } from '@chorus/database';
import { AssetUrls } from './asset-urls.ts';

/** How the world calls what is shown. */
export interface Addresses {
  /** Put before the paths of `urls`; empty: they are relative to the server. */
  baseUrl: string;
  assetUrls: AssetUrls;
}

/**
 * The addresses that all processes make alike.
 *
 * @throws {ChorusError} `store_unavailable`
 */
export async function openAddresses(
  { secrets }: Pick<Database, 'secrets'>,
  config: { http: Pick<Config['http'], 'publicUrl'>; assets: Pick<Config['assets'], 'urlTtlS'> },
): Promise<Addresses> {
  const secret = await secrets.getOrCreate('asset_urls', randomBytes(32).toString('base64url'));
  const baseUrl = config.http.publicUrl ?? '';
  return { baseUrl, assetUrls: new AssetUrls({ secret, baseUrl, ttlS: config.assets.urlTtlS }) };
}
