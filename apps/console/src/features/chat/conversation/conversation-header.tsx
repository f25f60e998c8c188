import { QueueListIcon } from '@heroicons/react/24/outline';
import { ActionIcon, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './conversation.module.css';

interface ConversationHeaderProps {
  title: string;
  /** Name of the one who leads it. */
  agent?: string | undefined;
  onOpenList: () => void;
  children?: ReactNode;
}

export function ConversationHeader({ title, agent, onOpenList, children }: ConversationHeaderProps) {
  return (
    <header className={classes.header}>
      <ActionIcon
        variant="subtle"
        color="gray"
        onClick={onOpenList}
        aria-label="Open the list of conversations"
        hiddenFrom="md"
      >
        <QueueListIcon />
      </ActionIcon>
      <Title order={1} size="h5" className={classes.title} lineClamp={1}>
        {title}
      </Title>
      {agent !== undefined && (
        <Text size="xs" c="dimmed" truncate maw={160}>
          with {agent}
        </Text>
      )}
      {children}
    </header>
  );
}
