import type { OwnedAsset } from '@chorus/client';
import { PhotoIcon } from '@heroicons/react/24/outline';
import { Button, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { EmptyState, ErrorState, Loading } from '../../../components/placeholders.tsx';
import { VirtualGrid } from '../../../components/virtual-grid.tsx';
import { useCursorList } from '../../../data/use-cursor-list.ts';
import { useRole } from '../../../scope/use-role.ts';
import { AssetDialog } from './asset-dialog.tsx';
import { AssetTile } from './asset-tile.tsx';
import classes from './gallery.module.css';

const kinds = [
  { value: 'image', label: 'Images' },
  { value: 'video', label: 'Videos' },
  { value: 'audio', label: 'Audio' },
] as const;
type Kind = (typeof kinds)[number]['value'];

const idOf = ({ id }: OwnedAsset) => id;

export default function Gallery() {
  const [kind, setKind] = useState<Kind>('image');
  const [opened, setOpened] = useState<OwnedAsset | null>(null);
  return (
    <div className={classes.gallery}>
      <SegmentedControl
        data={[...kinds]}
        value={kind}
        onChange={(value) => setKind(value as Kind)}
        aria-label="File type"
      />
      <Assets key={kind} kind={kind} onOpen={setOpened} />
      <AssetDialog asset={opened} userId={opened?.user_id ?? ''} onClose={() => setOpened(null)} />
    </div>
  );
}

function Assets({ kind, onOpen }: { kind: Kind; onOpen: (asset: OwnedAsset) => void }) {
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
        title="Nothing here yet"
        icon={PhotoIcon}
        action={
          isAtLeast('editor') && (
            <Button component={Link} href="/studio/images">
              Create an image
            </Button>
          )
        }
      >
        Files that you create or upload are kept here.
      </EmptyState>
    );
  return (
    <VirtualGrid
      label="Files"
      items={list.items}
      getKey={idOf}
      cell={{ width: 160, height: 180 }}
      hasMore={list.hasMore}
      onLoadMore={list.loadMore}
    >
      {(asset, isFlung) => <AssetTile key={asset.id} asset={asset} onOpen={onOpen} isDeferred={isFlung} />}
    </VirtualGrid>
  );
}
