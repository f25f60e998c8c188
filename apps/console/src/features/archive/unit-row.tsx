import type { ArchiveUnit } from '@chorus/client';
import { Group, Text } from '@mantine/core';
import { memo } from 'react';
import { Link } from 'wouter';
import { TagBadges } from '../../components/tag-badges.tsx';
import { Time } from '../../components/time.tsx';
import classes from './archive-page.module.css';

export const UnitRow = memo(({ unit: { id, title, tags, source, updated_at } }: { unit: ArchiveUnit }) => (
  <Link href={`/archive/${id}`} className={classes.row}>
    <Text size="sm" fw={600} truncate>
      {title}
    </Text>
    <Group gap={6}>
      <Text size="xs" c="dimmed">
        {source.type} · <Time at={updated_at} />
      </Text>
      <TagBadges tags={tags} />
    </Group>
  </Link>
));
