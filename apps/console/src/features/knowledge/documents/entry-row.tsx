import type { KnowledgeEntry } from '@chorus/client';
import { Group, Text } from '@mantine/core';
import { memo } from 'react';
import { Link } from 'wouter';
import { StatusBadge, TagBadges } from '../../../components/badges.tsx';
import { formatSize } from '../../../components/format.tsx';
import { waitText } from '../../../components/provider-wait.ts';
import rows from '../../../components/rows.module.css';
import { stageLabel } from '../../../components/statuses.ts';
import { Dimmed } from '../../../components/text.tsx';
import { jobErrorText } from '../../../data/describe-error.ts';
import { useLiveProgress } from '../../../data/live-events.tsx';
import { t } from '../../../i18n/i18n.ts';
import classes from './documents.module.css';

export const EntryRow = memo(({ entry }: { entry: KnowledgeEntry }) => (
  <Link href={`/knowledge/${entry.id}`} className={`${rows.row} ${classes.row}`}>
    <div style={{ minWidth: 0 }}>
      <Text size="sm" fw={600} truncate>
        <bdi>{entry.title}</bdi>
      </Text>
      <Group gap={6}>
        <Dimmed size="xs">
          {entry.size_bytes === null ? '' : formatSize(entry.size_bytes)}
          {entry.page_count !== null && ` · ${t('components.pageCount', { count: entry.page_count })}`}
          {entry.status === 'ready' && ` · ${t('knowledge.passageCount', { count: entry.chunk_count })}`}
        </Dimmed>
        <TagBadges tags={entry.tags} />
      </Group>
    </div>
    <StatusBadge status={entry.status} />
    {entry.status !== 'ready' && <IngestionSteps entry={entry} />}
  </Link>
));

const STEPS = ['fetching', 'parsing', 'chunking', 'embedding', 'indexing'] as const;

export function IngestionSteps({ entry }: { entry: KnowledgeEntry }) {
  const progress = useLiveProgress(entry.execution_id);
  const stage = entry.status === 'failed' ? entry.stage : (progress?.stage ?? entry.stage);
  const current = STEPS.indexOf(stage as (typeof STEPS)[number]);
  const counted = progress && progress.total > 0 ? ` ${progress.completed}/${progress.total}` : '';
  return (
    <ol className={classes.steps} aria-label={t('components.steps')}>
      {STEPS.map((step, at) => {
        const state = at < current ? 'done' : at > current ? 'later' : entry.status === 'failed' ? 'failed' : 'now';
        return (
          <li key={step} data-state={state} aria-current={state === 'now' ? 'step' : undefined}>
            {state === 'done' ? '✓' : state === 'later' ? '·' : state === 'failed' ? '✕' : '▸'} {stageLabel(step)}
            {state === 'now' && counted}
          </li>
        );
      })}
      {entry.waiting_for && <li data-state="later">{waitText(entry.waiting_for)}</li>}
      {entry.error && <li data-state="failed">{jobErrorText(entry.error)}</li>}
    </ol>
  );
}
