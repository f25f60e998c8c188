import { PaperClipIcon } from '@heroicons/react/24/outline';
import { Anchor, Group, Image } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { sameOriginUrl } from '../data/files.ts';
import { t } from '../i18n/i18n.ts';
import { useScope } from '../scope/scope-context.tsx';

interface AssetLinkProps {
  id: string;
  height: number;
  /** Shown instead of a deleted file. */
  missing: ReactNode;
}

/** Opens a file in a new tab. */
export function AssetLink({ id, height, missing }: AssetLinkProps) {
  const { client, scopeKey } = useScope();
  const { data: asset, isError } = useQuery({
    queryKey: [scopeKey, 'assets', 'one', id],
    queryFn: ({ signal }) => client.assets.get(id, { signal }),
  });
  if (isError) return missing;
  if (!asset) return null;
  return (
    <Anchor href={sameOriginUrl(asset.url)} target="_blank" rel="noreferrer">
      {asset.thumbnail_url === null ? (
        <Group gap={4}>
          <PaperClipIcon />
          {asset.filename ?? t('components.file')}
        </Group>
      ) : (
        <Image
          src={sameOriginUrl(asset.thumbnail_url)}
          alt={asset.filename ?? t('components.image')}
          loading="lazy"
          decoding="async"
          // Keeps its place until it has loaded.
          width={asset.width ?? undefined}
          height={asset.height ?? undefined}
          h={Math.min(height, asset.height ?? height)}
          fit="contain"
          w="auto"
          maw="100%"
          radius="md"
        />
      )}
    </Anchor>
  );
}
