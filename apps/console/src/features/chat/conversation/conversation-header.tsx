import { QueueListIcon } from '@heroicons/react/24/outline';
import { ActionIcon, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { usePageTitle } from '../../../components/page-title.ts';
import { Dimmed } from '../../../components/text.tsx';
import classes from './conversation.module.css';

interface ConversationHeaderProps {
  title: string;
  agent?: string | undefined;
  onOpenList: () => void;
  children?: ReactNode;
}

export function ConversationHeader({ title, agent, onOpenList, children }: ConversationHeaderProps) {
  usePageTitle(title, 'Chat');
  return (
    <header className={classes.header}>
      <ActionIcon variant="subtle" color="gray" onClick={onOpenList} aria-label="Show conversations" hiddenFrom="md">
        <QueueListIcon />
      </ActionIcon>
      <Title order={1} size="h5" className={classes.title} lineClamp={1}>
        {title}
      </Title>
      {agent !== undefined && (
        <Dimmed size="xs" truncate maw={160}>
          with {agent}
        </Dimmed>
      )}
      {children}
    </header>
  );
}
