import { ExclamationTriangleIcon } from '@heroicons/react/24/outline';
import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { describeError } from '../data/describe-error.ts';
import { EmptyState } from './empty-state.tsx';

interface ProblemProps {
  error: unknown;
  onRetry?: (() => void) | undefined;
  action?: ReactNode;
}

/** In place of what could not be read. */
export function Problem({ error, onRetry, action }: ProblemProps) {
  const { title, advice, reference } = describeError(error);
  return (
    <div role="alert">
      <EmptyState
        title={title}
        icon={ExclamationTriangleIcon}
        action={
          <Group mt="xs">
            {onRetry && (
              <Button variant="default" onClick={onRetry}>
                Try again
              </Button>
            )}
            {action}
          </Group>
        }
      >
        {advice}
        {reference && (
          <Text size="xs" mt="xs">
            Request {reference}
          </Text>
        )}
      </EmptyState>
    </div>
  );
}
