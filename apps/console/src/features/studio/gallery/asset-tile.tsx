import type { Asset } from '@chorus/client';
import { DocumentIcon, PlayIcon } from '@heroicons/react/24/solid';
import { useState } from 'react';
import { sameOriginUrl } from '../../../data/files.ts';
import { t } from '../../../i18n/i18n.ts';
import classes from './gallery.module.css';

interface AssetTileProps<A extends Asset> {
  asset: A;
  onOpen: (asset: A) => void;
  /** Delays loading the image while it scrolls by too fast to be seen. */
  isDeferred?: boolean;
  /** Shows an image itself instead of its thumbnail. */
  isLarge?: boolean;
}

export function AssetTile<A extends Asset>({ asset, onOpen, isDeferred = false, isLarge = false }: AssetTileProps<A>) {
  const [showsImage, setShowsImage] = useState(!isDeferred);
  if (!isDeferred && !showsImage) setShowsImage(true);
  const name = assetName(asset);
  const source = isLarge && asset.kind === 'image' ? asset.url : asset.thumbnail_url;
  return (
    <button
      type="button"
      className={classes.tile}
      onClick={() => onOpen(asset)}
      aria-label={t('studio.openFile', { name })}
    >
      {source === null ? (
        <span className={classes.none}>
          <DocumentIcon />
        </span>
      ) : (
        showsImage && <img src={sameOriginUrl(source)} alt="" loading="lazy" decoding="async" />
      )}
      {asset.kind === 'video' && (
        <span className={classes.play}>
          <PlayIcon />
        </span>
      )}
    </button>
  );
}

/** Returns the file name, or a description if there is none. */
export function assetName({ filename, kind, width, height }: Asset): string {
  if (filename !== null) return filename;
  return width === null ? kind : `${kind}, ${width} × ${height}`;
}
