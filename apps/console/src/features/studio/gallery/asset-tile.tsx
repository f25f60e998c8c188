import type { Asset } from '@chorus/client';
import { DocumentIcon, PlayIcon } from '@heroicons/react/24/solid';
import { useState } from 'react';
import { ownUrl } from '../../../data/own-url.ts';
import { assetName } from './asset-name.ts';
import classes from './asset-tile.module.css';

interface AssetTileProps<A extends Asset> {
  asset: A;
  onOpen: (asset: A) => void;
  /** It goes by too fast to be seen: its picture can wait. */
  isPassing?: boolean;
}

/** A file as a small picture, which opens it. */
export function AssetTile<A extends Asset>({ asset, onOpen, isPassing = false }: AssetTileProps<A>) {
  const [isDrawn, setIsDrawn] = useState(!isPassing);
  if (!isPassing && !isDrawn) setIsDrawn(true);
  const name = assetName(asset);
  return (
    <button type="button" className={classes.tile} onClick={() => onOpen(asset)} aria-label={`Open ${name}`}>
      {asset.thumbnail_url === null ? (
        <span className={classes.none}>
          <DocumentIcon />
        </span>
      ) : (
        isDrawn && <img src={ownUrl(asset.thumbnail_url)} alt="" loading="lazy" decoding="async" />
      )}
      {asset.kind === 'video' && (
        <span className={classes.play}>
          <PlayIcon />
        </span>
      )}
    </button>
  );
}
