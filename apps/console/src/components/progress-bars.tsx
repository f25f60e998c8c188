import type { ExecutionProgress } from '@chorus/client';
import { Progress, Text } from '@mantine/core';
import type { UploadState } from '../data/use-upload.ts';
import { formatNumber, t } from '../i18n/i18n.ts';
import { waitText } from './provider-wait.ts';
import { stageLabel } from './statuses.ts';
import { Dimmed } from './text.tsx';

/** Shows progress in steps if known, else an animated bar. */
export function ExecutionBar({
  status,
  progress,
  waitingFor = null,
}: Pick<ExecutionProgress, 'status' | 'progress'> & Partial<Pick<ExecutionProgress, 'waitingFor'>>) {
  const isCounted = progress !== null && progress.total > 0;
  const percent = isCounted ? (100 * progress.completed) / progress.total : 100;
  const queued = waitingFor === null ? t('components.queued') : waitText(waitingFor);
  const words = status === 'queued' ? queued : progress ? stageLabel(progress.stage) : t('components.working');
  return (
    <div>
      <Progress
        value={status === 'queued' ? 0 : percent}
        animated={!isCounted || percent < 100}
        aria-label={
          isCounted ? t('components.countOfTotal', { count: progress.completed, total: progress.total }) : words
        }
      />
      <Dimmed size="xs" mt={4}>
        {words}
        {isCounted && ` · ${t('components.countOfTotal', { count: progress.completed, total: progress.total })}`}
      </Dimmed>
    </div>
  );
}

export function UploadBar({ upload: { file, fraction } }: { upload: UploadState }) {
  if (file === null) return null;
  const percent = Math.round(fraction * 100);
  return (
    <div>
      <Text size="sm" truncate>
        {file.name}
      </Text>
      <Progress
        value={percent}
        aria-label={t('components.uploadProgress', {
          name: file.name,
          percent: formatNumber(fraction, { style: 'percent' }),
        })}
      />
    </div>
  );
}
