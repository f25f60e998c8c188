import { TrashIcon } from '@heroicons/react/24/outline';
import { Button } from '@mantine/core';
import { useLocation } from 'wouter';
import { EmptyState } from '../../../components/placeholders.tsx';
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
    <section className={classes.conversation} aria-label="Conversation">
      <ConversationHeader title="Deleted conversation" onOpenList={onOpenList} />
      <EmptyState
        title="This conversation was deleted"
        icon={TrashIcon}
        action={<Button onClick={start}>Start a new conversation</Button>}
      >
        What you have written here moves to the new one.
      </EmptyState>
    </section>
  );
}
