import type { Asset } from '@chorus/client';
import { ChevronLeftIcon, ChevronRightIcon } from '@heroicons/react/24/outline';
import { ActionIcon, VisuallyHidden } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { sameOriginUrl } from '../../../data/files.ts';
import { t } from '../../../i18n/i18n.ts';
import { assetName } from './asset-tile.tsx';
import classes from './gallery.module.css';

interface LightboxProps<A extends Asset> {
  asset: A;
  among: readonly A[];
  onOpen: (asset: A) => void;
}

/** Shows a file as large as it fits. The arrow keys move to its neighbors. */
export function Lightbox<A extends Asset>({ asset, among, onOpen }: LightboxProps<A>) {
  const place = among.findIndex(({ id }) => id === asset.id);
  const [previous, next] = place === -1 ? [] : [among[place - 1], among[place + 1]];
  const isRightToLeft = document.documentElement.dir === 'rtl';
  const [left, right] = isRightToLeft ? [next, previous] : [previous, next];
  useHotkeys([
    ['ArrowLeft', () => left && onOpen(left)],
    ['ArrowRight', () => right && onOpen(right)],
  ]);
  return (
    <div className={classes.lightbox}>
      <Content asset={asset} />
      {previous && (
        <ActionIcon
          className={classes.previous}
          variant="default"
          radius="xl"
          size="lg"
          onClick={() => onOpen(previous)}
          aria-label={t('studio.previousImage')}
        >
          <ChevronLeftIcon />
        </ActionIcon>
      )}
      {next && (
        <ActionIcon
          className={classes.next}
          variant="default"
          radius="xl"
          size="lg"
          onClick={() => onOpen(next)}
          aria-label={t('studio.nextImage')}
        >
          <ChevronRightIcon />
        </ActionIcon>
      )}
      <VisuallyHidden role="status">
        {place !== -1 && t('studio.placeOfTotal', { place: place + 1, total: among.length })}
      </VisuallyHidden>
    </div>
  );
}

function Content({ asset }: { asset: Asset }) {
  if (asset.kind === 'image')
    return <img key={asset.id} className={classes.content} src={sameOriginUrl(asset.url)} alt={assetName(asset)} />;
  if (asset.kind === 'video')
    return (
      <video key={asset.id} className={classes.content} src={sameOriginUrl(asset.url)} controls autoPlay loop muted />
    );
  // biome-ignore lint/a11y/useMediaCaption: no captions exist for stored files
  if (asset.kind === 'audio') return <audio key={asset.id} src={sameOriginUrl(asset.url)} controls />;
  return null;
}
