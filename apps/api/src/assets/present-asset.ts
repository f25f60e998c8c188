import { assetFactsOf } from '@chorus/assets';
import type { OwnedAsset } from '@chorus/contract';
import type { AssetRecord } from '@chorus/database';
import { type AssetUrls, withUrls } from '@chorus/executions';

/** An asset as it is shown: its addresses are made anew each time. */
export function presentAsset(record: AssetRecord, urls: AssetUrls): OwnedAsset {
  return { ...withUrls(assetFactsOf(record), record.thumbnail !== 'none', urls), user_id: record.owner.user_id };
}
