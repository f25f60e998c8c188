import { ExclamationTriangleIcon } from '@heroicons/react/24/outline';
import { Alert, Button, Center, Group, Loader, Stack, Text, Title } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ComponentType, ReactNode, SVGProps } from 'react';
import { describeError } from '../data/describe-error.ts';
import { t } from '../i18n/i18n.ts';
import classes from './placeholders.module.css';

interface EmptyStateProps {
  title: string;
  /** 1 if it is the whole page. */
  level?: 1 | 2;
  icon?: ComponentType<SVGProps<SVGSVGElement>>;
  children?: ReactNode;
  action?: ReactNode;
}

export function EmptyState({ title, level = 2, icon: Icon, children, action }: EmptyStateProps) {
  return (
    <Center className={classes.place}>
      <Stack align="center" gap="xs" maw={420} ta="center">
        {Icon && (
          <div className={classes.icon}>
            <Icon />
          </div>
        )}
        <Title order={level} size="h4">
          {title}
        </Title>
        {children && (
          <Text component="div" c="dimmed" size="sm">
            {children}
          </Text>
        )}
        {action}
      </Stack>
    </Center>
  );
}

export function Loading() {
  return (
    <Center h="100%" mih={160}>
      <Loader role="status" aria-label={t('common.loading')} />
    </Center>
  );
}

interface ErrorStateProps {
  error: unknown;
  onRetry?: (() => void) | undefined;
  action?: ReactNode;
}

export function ErrorState({ error, onRetry, action }: ErrorStateProps) {
  const { title, advice, requestId } = describeError(error);
  return (
    <div role="alert">
      <EmptyState
        title={title}
        icon={ExclamationTriangleIcon}
        action={
          <Group mt="xs">
            {onRetry && (
              <Button variant="default" onClick={onRetry}>
                {t('common.tryAgain')}
              </Button>
            )}
            {action}
          </Group>
        }
      >
        {advice}
        {requestId && (
          <Text size="xs" mt="xs">
            {t('common.request', { requestId })}
          </Text>
        )}
      </EmptyState>
    </div>
  );
}

export function ErrorAlert({ error }: { error: Error }) {
  const { title, advice } = describeError(error);
  return (
    <Alert color="red" title={title} role="alert">
      {advice}
    </Alert>
  );
}

interface QueryViewProps<T> {
  query: UseQueryResult<T>;
  children: (data: T) => ReactNode;
}

export function QueryView<T>({ query: { data, error, refetch }, children }: QueryViewProps<T>) {
  if (data !== undefined) return children(data);
  return error ? <ErrorState error={error} onRetry={refetch} /> : <Loading />;
}
