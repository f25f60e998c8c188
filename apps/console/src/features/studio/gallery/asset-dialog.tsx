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
import classes from './gallery.module.css';

interface AssetDialogProps {
  asset: Asset | null;
  userId: string;
  onClose: () => void;
  onDeleted?: (id: string) => void;
}

export function AssetDialog({ asset, ...rest }: AssetDialogProps) {
  return (
    <Dialog opened={asset !== null} onClose={rest.onClose} size="xl" title={asset === null ? '' : assetName(asset)}>
      {asset && <Details asset={asset} {...rest} />}
    </Dialog>
  );
}

function Details({ asset, userId, onClose, onDeleted }: AssetDialogProps & { asset: Asset }) {
  const { client, scopeKey } = useScope();
  const { isAtLeast, canChange } = useRole();
  const queryClient = useQueryClient();
  const onGone = () => {
    onDeleted?.(asset.id);
    onClose();
    queryClient.invalidateQueries({ queryKey: [scopeKey, 'assets'] });
  };
  return (
    <>
      <Content asset={asset} />
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

function Content({ asset }: { asset: Asset }) {
  if (asset.kind === 'image')
    return <img className={classes.content} src={sameOriginUrl(asset.url)} alt={assetName(asset)} />;
  if (asset.kind === 'video')
    return <video className={classes.content} src={sameOriginUrl(asset.url)} controls autoPlay loop muted />;
  // biome-ignore lint/a11y/useMediaCaption: no captions exist for stored files
  if (asset.kind === 'audio') return <audio src={sameOriginUrl(asset.url)} controls />;
  return null;
}
