import type { Execution } from '@chorus/client';
import { hasEnded } from '@chorus/client';
import { Progress, Text } from '@mantine/core';
import { memo } from 'react';
import { Link, useSearch } from 'wouter';
import { durationText } from '../../components/duration.ts';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Time } from '../../components/time.tsx';
import classes from './job-row.module.css';
import { kindName } from './kind-names.ts';

export const JobRow = memo(({ job }: { job: Execution }) => {
  const search = useSearch();
  const { id, kind, status, model, progress, created_at, started_at, finished_at } = job;
  const isCounted = !hasEnded(job) && progress !== null && progress.total > 0;
  return (
    <Link href={`/jobs/${id}${search === '' ? '' : `?${search}`}`} className={classes.row}>
      <span className={classes.what}>
        <Text size="sm" fw={600}>
          {kindName(kind)}
        </Text>
        <Text size="xs" c="dimmed" truncate>
          {model ?? ''}
        </Text>
      </span>
      <span className={classes.state}>
        <StatusBadge status={status} />
        {isCounted && (
          <Progress
            value={(100 * progress.completed) / progress.total}
            size="sm"
            w={80}
            aria-label={`${progress.completed} of ${progress.total}`}
          />
        )}
      </span>
      <Text size="xs" c="dimmed" className={classes.time}>
        <Time at={created_at} />
        {started_at !== null &&
          finished_at !== null &&
          ` · ${durationText(Date.parse(finished_at) - Date.parse(started_at))}`}
      </Text>
    </Link>
  );
});
