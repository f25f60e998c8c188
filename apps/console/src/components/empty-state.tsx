import { Center, Stack, Text, Title } from '@mantine/core';
import type { ComponentType, ReactNode, SVGProps } from 'react';
import classes from './empty-state.module.css';

interface EmptyStateProps {
  title: string;
  icon?: ComponentType<SVGProps<SVGSVGElement>>;
  /** What can be done about it. */
  children?: ReactNode;
  action?: ReactNode;
}

/** In place of what is not there. */
export function EmptyState({ title, icon: Icon, children, action }: EmptyStateProps) {
  return (
    <Center className={classes.place}>
      <Stack align="center" gap="xs" maw={420} ta="center">
        {Icon && (
          <div className={classes.icon}>
            <Icon />
          </div>
        )}
        <Title order={2} size="h4">
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
