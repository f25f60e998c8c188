import type { ExecutionProgress } from '@chorus/client';
import { Progress, Text } from '@mantine/core';
import type { UploadState } from '../data/use-upload.ts';
import { Dimmed } from './text.tsx';

/** Shows progress in steps if known, else an animated bar. */
export function ExecutionBar({ status, progress }: Pick<ExecutionProgress, 'status' | 'progress'>) {
  const isCounted = progress !== null && progress.total > 0;
  const percent = isCounted ? (100 * progress.completed) / progress.total : 100;
  const words = status === 'queued' ? 'Queued' : (progress?.stage ?? 'Working');
  return (
    <div>
      <Progress
        value={status === 'queued' ? 0 : percent}
        animated={!isCounted || percent < 100}
        aria-label={isCounted ? `${progress.completed} of ${progress.total}` : words}
      />
      <Dimmed size="xs" mt={4}>
        {words}
        {isCounted && `: ${progress.completed} of ${progress.total}`}
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
      <Progress value={percent} aria-label={`${file.name}: ${percent}% uploaded`} />
    </div>
  );
}
