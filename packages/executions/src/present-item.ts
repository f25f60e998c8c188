import type { Asset, AssetFacts, OutputItem, PresentedItem } from '@chorus/contract';
import type { AssetUrls } from './asset-urls.ts';

/** One piece of a result as it is shown, from what results keep: no store is asked. */
export function presentItem(item: OutputItem, urls: AssetUrls): PresentedItem {
  if (item.type !== 'asset') return item;
  const { kind, width } = item.asset;
  // Whoever makes a picture or a video gives its measures, and a video's poster.
  const thumbnail = (kind === 'image' || kind === 'video') && width !== null;
  return { type: 'asset', asset: withUrls(item.asset, thumbnail, urls) };
}

/** An asset as it is shown: its addresses are made anew each time. */
export function withUrls(facts: AssetFacts, thumbnail: boolean, urls: AssetUrls): Asset {
  const { id } = facts;
  return {
    object: 'asset',
    ...facts,
    url: urls.sign(id, 'content'),
    thumbnail_url: thumbnail ? urls.sign(id, 'thumbnail') : null,
  };
}
