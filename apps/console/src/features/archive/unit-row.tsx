import type { ArchiveUnit } from '@chorus/client';
import { Badge, Group, Text } from '@mantine/core';
import { memo } from 'react';
import { Link } from 'wouter';
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
      {tags.map((tag) => (
        <Badge key={tag} size="xs" variant="default" tt="none">
          {tag}
        </Badge>
      ))}
    </Group>
  </Link>
));
