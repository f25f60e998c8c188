import type { OwnedAsset } from '@chorus/client';
import { PhotoIcon } from '@heroicons/react/24/outline';
import { Button, SegmentedControl } from '@mantine/core';
import { skipToken, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { EmptyState, ErrorState, Loading } from '../../../components/placeholders.tsx';
import { VirtualGrid } from '../../../components/virtual-grid.tsx';
import { useCursorList } from '../../../data/use-cursor-list.ts';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { useRole } from '../../../scope/use-role.ts';
import { AssetDialog } from './asset-dialog.tsx';
import { AssetTile } from './asset-tile.tsx';
import classes from './gallery.module.css';

const kinds = [
  { value: 'image', label: 'components.images' },
  { value: 'video', label: 'components.videos' },
  { value: 'audio', label: 'studio.audio' },
] as const;
type Kind = (typeof kinds)[number]['value'];

const idOf = ({ id }: OwnedAsset) => id;

export default function Gallery() {
  const [kind, setKind] = useState<Kind>('image');
  const [opened, setOpened] = useState<OwnedAsset | null>(null);
  const [among, setAmong] = useState<readonly OwnedAsset[]>([]);
  const named = useNamedAsset();
  const [, navigate] = useLocation();
  useEffect(() => setOpened(named), [named]);
  const close = () => {
    setOpened(null);
    if (named !== null) navigate('/studio/gallery', { replace: true });
  };
  return (
    <div className={classes.gallery}>
      <SegmentedControl
        data={kinds.map(({ value, label }) => ({ value, label: t(label) }))}
        value={kind}
        onChange={(value) => setKind(value as Kind)}
        aria-label={t('studio.fileType')}
      />
      <Assets
        key={kind}
        kind={kind}
        onOpen={(asset, all) => {
          setAmong(all);
          setOpened(asset);
        }}
      />
      <AssetDialog asset={opened} among={among} userId={opened?.user_id ?? ''} onOpen={setOpened} onClose={close} />
    </div>
  );
}

/** Returns the asset that the address names, such as after a search. */
function useNamedAsset(): OwnedAsset | null {
  const { client, scopeKey } = useScope();
  const id = new URLSearchParams(useSearch()).get('asset');
  const { data = null } = useQuery({
    queryKey: [scopeKey, 'assets', 'one', id],
    queryFn: id === null ? skipToken : ({ signal }) => client.assets.get(id, { signal }),
  });
  return data;
}

function Assets({ kind, onOpen }: { kind: Kind; onOpen: (asset: OwnedAsset, all: readonly OwnedAsset[]) => void }) {
  const { isAtLeast } = useRole();
  const list = useCursorList({
    name: 'assets',
    filters: { kind },
    fetchPage: (client, query, options) => client.assets.list({ ...query, kind }, options),
  });
  if (list.isPending) return <Loading />;
  if (list.error) return <ErrorState error={list.error} onRetry={list.refresh} />;
  if (list.items.length === 0)
    return (
      <EmptyState
        title={t('studio.nothingHereYet')}
        icon={PhotoIcon}
        action={
          isAtLeast('editor') && (
            <Button component={Link} href="/studio/images">
              {t('studio.createAnImage')}
            </Button>
          )
        }
      >
        {t('studio.galleryHint')}
      </EmptyState>
    );
  return (
    <VirtualGrid
      label={t('studio.files')}
      items={list.items}
      getKey={idOf}
      cell={{ width: 160, height: 180 }}
      hasMore={list.hasMore}
      onLoadMore={list.loadMore}
    >
      {(asset, isFlung) => (
        <AssetTile key={asset.id} asset={asset} onOpen={(chosen) => onOpen(chosen, list.items)} isDeferred={isFlung} />
      )}
    </VirtualGrid>
  );
}
