import { XMarkIcon } from '@heroicons/react/24/outline';
import { ActionIcon, Group, Image, Input } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { sameOriginUrl } from '../../../data/files.ts';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { assetName } from '../gallery/asset-tile.tsx';
import classes from './create.module.css';

interface ReferenceImagesProps {
  ids: readonly string[];
  onRemove: (id: string) => void;
}

/** The images that new ones start from. */
export function ReferenceImages({ ids, onRemove }: ReferenceImagesProps) {
  const { client, scopeKey } = useScope();
  const assets = useQueries({
    queries: ids.map((id) => ({
      queryKey: [scopeKey, 'assets', 'one', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => client.assets.get(id, { signal }),
    })),
  });
  if (ids.length === 0) return null;
  return (
    <Input.Wrapper label={t('studio.referenceImages')} labelElement="div">
      <Group gap="xs" mt={4}>
        {assets.map(({ data }, index) => {
          const id = ids[index] ?? '';
          const name = data ? assetName(data) : id;
          return (
            <div key={id} className={classes.reference}>
              {data?.thumbnail_url && <Image src={sameOriginUrl(data.thumbnail_url)} alt={name} radius="sm" />}
              <ActionIcon
                size="sm"
                radius="xl"
                variant="default"
                className={classes.removeReference}
                aria-label={t('studio.removeReference', { name })}
                onClick={() => onRemove(id)}
              >
                <XMarkIcon />
              </ActionIcon>
            </div>
          );
        })}
      </Group>
    </Input.Wrapper>
  );
}
