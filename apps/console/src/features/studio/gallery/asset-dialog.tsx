import type { Asset } from '@chorus/client';
import { ArrowDownTrayIcon, CheckBadgeIcon } from '@heroicons/react/24/outline';
import { Button, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { DeleteButton } from '../../../components/delete-button.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { durationText } from '../../../components/duration.ts';
import { MakersNote } from '../../../components/makers-note.tsx';
import { sizeText } from '../../../components/size.ts';
import { Time } from '../../../components/time.tsx';
import { ownUrl } from '../../../data/own-url.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { useRole } from '../../../scope/use-role.ts';
import classes from './asset-dialog.module.css';
import { assetName } from './asset-name.ts';

interface AssetDialogProps {
  /** Null: closed. */
  asset: Asset | null;
  /** Who made or uploaded it. */
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
  const { isAtLeast, mayChange } = useRole();
  const queryClient = useQueryClient();
  const gone = () => {
    onDeleted?.(asset.id);
    onClose();
    queryClient.invalidateQueries({ queryKey: [scopeKey, 'assets'] });
  };
  return (
    <>
      <Content asset={asset} />
      <Text size="sm" c="dimmed" mt="sm">
        {asset.mime_type} · {sizeText(asset.size_bytes)}
        {asset.width !== null && ` · ${asset.width} × ${asset.height}`}
        {asset.duration_ms !== null && ` · ${durationText(asset.duration_ms)}`} · <Time at={asset.created_at} />
      </Text>
      <Group mt="md" gap="xs">
        <Button
          component="a"
          href={ownUrl(asset.url)}
          download={asset.filename ?? ''}
          target="_blank"
          rel="noreferrer"
          leftSection={<ArrowDownTrayIcon />}
        >
          Download
        </Button>
        {isAtLeast('editor') && (
          <Button
            component={Link}
            href={`/studio/verify?asset=${asset.id}`}
            variant="default"
            leftSection={<CheckBadgeIcon />}
          >
            Verify
          </Button>
        )}
        {asset.execution_id !== null && (
          <Button component={Link} href={`/jobs/${asset.execution_id}`} variant="default">
            How it was made
          </Button>
        )}
        {mayChange(userId) ? (
          <DeleteButton title="Delete this file?" onDelete={() => client.assets.delete(asset.id)} onDeleted={gone}>
            It goes for ever, also from messages and results that show it.
          </DeleteButton>
        ) : (
          <MakersNote maker="Who made it" what="delete it" />
        )}
      </Group>
    </>
  );
}

function Content({ asset }: { asset: Asset }) {
  if (asset.kind === 'image') return <img className={classes.content} src={ownUrl(asset.url)} alt={assetName(asset)} />;
  if (asset.kind === 'video')
    return <video className={classes.content} src={ownUrl(asset.url)} controls autoPlay loop muted />;
  // biome-ignore lint/a11y/useMediaCaption: nobody has written down what is said in it
  if (asset.kind === 'audio') return <audio src={ownUrl(asset.url)} controls />;
  return null;
}
