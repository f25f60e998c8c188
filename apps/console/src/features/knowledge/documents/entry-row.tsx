import type { KnowledgeEntry } from '@chorus/client';
import { Group, Text } from '@mantine/core';
import { memo } from 'react';
import { Link } from 'wouter';
import { sizeText } from '../../../components/size.ts';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { TagBadges } from '../../../components/tag-badges.tsx';
import classes from './documents.module.css';
import { IngestionSteps } from './ingestion-steps.tsx';

export const EntryRow = memo(({ entry }: { entry: KnowledgeEntry }) => (
  <Link href={`/knowledge/${entry.id}`} className={classes.row}>
    <div style={{ minWidth: 0 }}>
      <Text size="sm" fw={600} truncate>
        {entry.title}
      </Text>
      <Group gap={6}>
        <Text size="xs" c="dimmed">
          {entry.size_bytes === null ? '' : sizeText(entry.size_bytes)}
          {entry.page_count !== null && ` · ${entry.page_count} pages`}
          {entry.status === 'ready' && ` · ${entry.chunk_count} passages`}
        </Text>
        <TagBadges tags={entry.tags} />
      </Group>
    </div>
    <StatusBadge status={entry.status} />
    {entry.status !== 'ready' && <IngestionSteps entry={entry} />}
  </Link>
));
