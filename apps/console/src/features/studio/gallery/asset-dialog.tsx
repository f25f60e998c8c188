import type { Asset } from '@chorus/client';
import { ArrowDownTrayIcon, CheckBadgeIcon } from '@heroicons/react/24/outline';
import { Button, Group } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { DeleteButton } from '../../../components/confirm-dialog.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { formatDuration, formatSize, Time } from '../../../components/format.tsx';
import { CreatorNote } from '../../../components/role-gate.tsx';
import { Dimmed } from '../../../components/text.tsx';
import { sameOriginUrl } from '../../../data/files.ts';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { useRole } from '../../../scope/use-role.ts';
import { assetName } from './asset-tile.tsx';
import { Lightbox } from './lightbox.tsx';
import { ReuseButtons } from './reuse-buttons.tsx';

interface AssetDialogProps<A extends Asset> {
  asset: A | null;
  /** The files among which the arrow keys move. */
  among: readonly A[];
  userId: string;
  onOpen: (asset: A) => void;
  onClose: () => void;
}

export function AssetDialog<A extends Asset>({ asset, ...rest }: AssetDialogProps<A>) {
  const title = asset === null ? '' : assetName(asset);
  return (
    <Dialog opened={asset !== null} onClose={rest.onClose} size="min(1280px, 100%)" title={title}>
      {asset && <Details asset={asset} {...rest} />}
    </Dialog>
  );
}

type DetailsProps<A extends Asset> = AssetDialogProps<A> & { asset: A };

function Details<A extends Asset>({ asset, among, userId, onOpen, onClose }: DetailsProps<A>) {
  const { client, scopeKey } = useScope();
  const { isAtLeast, canChange } = useRole();
  const queryClient = useQueryClient();
  const onGone = () => {
    onClose();
    queryClient.invalidateQueries({ queryKey: [scopeKey, 'assets'] });
  };
  return (
    <>
      <Lightbox asset={asset} among={among} onOpen={onOpen} />
      <Dimmed mt="sm">
        {asset.mime_type} · {formatSize(asset.size_bytes)}
        {asset.width !== null && ` · ${asset.width} × ${asset.height}`}
        {asset.duration_ms !== null && ` · ${formatDuration(asset.duration_ms)}`} · <Time at={asset.created_at} />
      </Dimmed>
      <Group mt="md" gap="xs">
        <Button
          component="a"
          href={sameOriginUrl(asset.url)}
          download={asset.filename ?? ''}
          target="_blank"
          rel="noreferrer"
          leftSection={<ArrowDownTrayIcon />}
        >
          {t('studio.download')}
        </Button>
        {isAtLeast('editor') && (
          <Button
            component={Link}
            href={`/studio/verify?asset=${asset.id}`}
            variant="default"
            leftSection={<CheckBadgeIcon />}
          >
            {t('studio.verify')}
          </Button>
        )}
        {isAtLeast('editor') && asset.kind === 'image' && <ReuseButtons asset={asset} />}
        {asset.execution_id !== null && (
          <Button component={Link} href={`/jobs/${asset.execution_id}`} variant="default">
            {t('components.viewJob')}
          </Button>
        )}
        {canChange(userId) ? (
          <DeleteButton
            title={t('studio.deleteThisFile')}
            onDelete={() => client.assets.delete(asset.id)}
            onDeleted={onGone}
          >
            {t('studio.deleteHint')}
          </DeleteButton>
        ) : (
          <CreatorNote action={t('components.actionDelete')} />
        )}
      </Group>
    </>
  );
}
