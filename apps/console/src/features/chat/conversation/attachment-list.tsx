import { PaperClipIcon } from '@heroicons/react/24/outline';
import { Anchor, Group, Image } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ownUrl } from '../../../data/own-url.ts';
import { useScope } from '../../../scope/scope-context.tsx';

export function AttachmentList({ ids }: { ids: readonly string[] }) {
  if (ids.length === 0) return null;
  return (
    <Group gap="xs" justify="flex-end">
      {ids.map((id) => (
        <Attachment key={id} id={id} />
      ))}
    </Group>
  );
}

function Attachment({ id }: { id: string }) {
  const { client, scopeKey } = useScope();
  const { data: asset, isError } = useQuery({
    queryKey: [scopeKey, 'assets', 'one', id],
    queryFn: ({ signal }) => client.assets.get(id, { signal }),
  });
  if (isError) return <span>A file that is gone</span>;
  if (!asset) return null;
  return (
    <Anchor href={ownUrl(asset.url)} target="_blank" rel="noreferrer">
      {asset.thumbnail_url === null ? (
        <Group gap={4}>
          <PaperClipIcon />
          {asset.filename ?? 'File'}
        </Group>
      ) : (
        <Image
          src={ownUrl(asset.thumbnail_url)}
          alt={asset.filename ?? 'Attached image'}
          h={120}
          w="auto"
          radius="md"
        />
      )}
    </Anchor>
  );
}
