import { TrashIcon } from '@heroicons/react/24/outline';
import { Button } from '@mantine/core';
import { useLocation } from 'wouter';
import { EmptyState } from '../../../components/placeholders.tsx';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { drafts } from '../composer/drafts.ts';
import classes from './conversation.module.css';
import { ConversationHeader } from './conversation-header.tsx';

interface DeletedConversationProps {
  sessionId: string;
  onOpenList: () => void;
}

/** Shown when a conversation was deleted, here or elsewhere. Its draft moves to a new conversation. */
export function DeletedConversation({ sessionId, onOpenList }: DeletedConversationProps) {
  const { storageKey } = useScope();
  const [, navigate] = useLocation();
  const start = () => {
    const texts = [`${storageKey}.${sessionId}`, `${storageKey}.new`].map(drafts.read);
    drafts.write(`${storageKey}.new`, texts.filter(Boolean).join('\n\n'));
    drafts.write(`${storageKey}.${sessionId}`, '');
    navigate('/chat');
  };
  return (
    <section className={classes.conversation} aria-label={t('components.conversation')}>
      <ConversationHeader title={t('conversation.deletedConversation')} onOpenList={onOpenList} />
      <EmptyState
        title={t('conversation.thisConversationWasDeleted')}
        icon={TrashIcon}
        action={<Button onClick={start}>{t('conversation.startNew')}</Button>}
      >
        {t('conversation.draftMoves')}
      </EmptyState>
    </section>
  );
}
