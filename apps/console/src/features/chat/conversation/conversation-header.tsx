import { QueueListIcon } from '@heroicons/react/24/outline';
import { ActionIcon, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './conversation.module.css';

interface ConversationHeaderProps {
  title: string;
  onOpenList: () => void;
  children?: ReactNode;
}

export function ConversationHeader({ title, onOpenList, children }: ConversationHeaderProps) {
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
      {children}
    </header>
  );
}
