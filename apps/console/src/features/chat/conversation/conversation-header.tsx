import { QueueListIcon } from '@heroicons/react/24/outline';
import { ActionIcon, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { usePageTitle } from '../../../components/page-title.ts';
import { Dimmed } from '../../../components/text.tsx';
import { t } from '../../../i18n/i18n.ts';
import classes from './conversation.module.css';

interface ConversationHeaderProps {
  title: string;
  agent?: string | undefined;
  onOpenList: () => void;
  children?: ReactNode;
}

export function ConversationHeader({ title, agent, onOpenList, children }: ConversationHeaderProps) {
  usePageTitle(title, t('common.chat'));
  return (
    <header className={classes.header}>
      <ActionIcon
        variant="subtle"
        color="gray"
        onClick={onOpenList}
        aria-label={t('chat.showConversations')}
        hiddenFrom="md"
      >
        <QueueListIcon />
      </ActionIcon>
      <Title order={1} size="h5" className={classes.title} lineClamp={1}>
        <bdi>{title}</bdi>
      </Title>
      {agent !== undefined && (
        <Dimmed size="xs" truncate maw={160}>
          {t('chat.withAgent', { agent })}
        </Dimmed>
      )}
      {children}
    </header>
  );
}
