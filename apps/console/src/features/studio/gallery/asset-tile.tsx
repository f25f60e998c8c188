import type { Asset } from '@chorus/client';
import { DocumentIcon, PlayIcon } from '@heroicons/react/24/solid';
import { assetName } from './asset-name.ts';
import classes from './asset-tile.module.css';

interface AssetTileProps<A extends Asset> {
  asset: A;
  onOpen: (asset: A) => void;
}

/** A file as a small picture, which opens it. */
export function AssetTile<A extends Asset>({ asset, onOpen }: AssetTileProps<A>) {
  const name = assetName(asset);
  return (
    <button type="button" className={classes.tile} onClick={() => onOpen(asset)} aria-label={`Open ${name}`}>
      {asset.thumbnail_url === null ? (
        <span className={classes.none}>
          <DocumentIcon />
        </span>
      ) : (
        <img src={asset.thumbnail_url} alt="" loading="lazy" decoding="async" />
      )}
      {asset.kind === 'video' && (
        <span className={classes.play}>
          <PlayIcon />
        </span>
      )}
    </button>
  );
}
