import { assetFactsOf } from '@chorus/assets';
import type { Asset } from '@chorus/contract';
import type { AssetRecord } from '@chorus/database';
import { type AssetUrls, withUrls } from '@chorus/executions';

/** An asset as it is shown: its addresses are made anew each time. */
export function presentAsset(record: AssetRecord, urls: AssetUrls): Asset {
  return withUrls(assetFactsOf(record), record.thumbnail !== 'none', urls);
}
