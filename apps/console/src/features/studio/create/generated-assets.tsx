import type { Asset, OutputItem } from '@chorus/client';
import { Skeleton } from '@mantine/core';
import { useState } from 'react';
import { useAccount } from '../../../account/account-gate.tsx';
import { AssetDialog } from '../gallery/asset-dialog.tsx';
import { AssetTile } from '../gallery/asset-tile.tsx';
import classes from './create.module.css';

interface GeneratedAssetsProps {
  output: readonly (OutputItem | undefined)[];
  /** The expected number of files. */
  expected: number;
}

/** Shows images and videos in the requested order, with placeholders for unfinished ones. */
export function GeneratedAssets({ output, expected }: GeneratedAssetsProps) {
  const { user } = useAccount();
  const [opened, setOpened] = useState<Asset | null>(null);
  const slots = Array.from({ length: Math.max(expected, output.length) }, (_, index) => output[index]);
  if (slots.length === 0) return null;
  return (
    <div className={classes.assets} data-single={slots.length === 1 || undefined}>
      {slots.map((item, index) =>
        item?.type === 'asset' ? (
          <AssetTile key={item.asset.id} asset={item.asset} onOpen={setOpened} isLarge />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: slots are identified by position
          <Skeleton key={index} height="100%" radius="md" animate={item === undefined} />
        ),
      )}
      {/* Runs are remembered by the browser of who began them. */}
      <AssetDialog
        asset={opened}
        among={slots.flatMap((item) => (item?.type === 'asset' ? item.asset : []))}
        userId={user.id}
        onOpen={setOpened}
        onClose={() => setOpened(null)}
      />
    </div>
  );
}
