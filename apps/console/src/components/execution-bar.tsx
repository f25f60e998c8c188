import type { ExecutionProgress } from '@chorus/client';
import { Progress, Text } from '@mantine/core';

/** How far an execution is: in steps where it tells them, else that it works. */
export function ExecutionBar({ status, progress }: Pick<ExecutionProgress, 'status' | 'progress'>) {
  const isCounted = progress !== null && progress.total > 0;
  const percent = isCounted ? (100 * progress.completed) / progress.total : 100;
  const words = status === 'queued' ? 'Waiting for its turn' : (progress?.stage ?? 'Working');
  return (
    <div>
      <Progress
        value={status === 'queued' ? 0 : percent}
        animated={!isCounted || percent < 100}
        aria-label={isCounted ? `${progress.completed} of ${progress.total}` : words}
      />
      <Text size="xs" c="dimmed" mt={4}>
        {words}
        {isCounted && `: ${progress.completed} of ${progress.total}`}
      </Text>
    </div>
  );
}
