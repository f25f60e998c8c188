import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { lazy, Suspense } from 'react';
import { useLocation, useRoute } from 'wouter';
import { SideDrawer } from '../../components/dialog.tsx';
import { Loading } from '../../components/placeholders.tsx';
import { t, withMessages } from '../../i18n/i18n.ts';
import classes from './chat-page.module.css';
import { NewConversation } from './conversation/new-conversation.tsx';
import { SessionList } from './sessions/session-list.tsx';

// Loaded separately: the first message can be written without it.
const Conversation = lazy(
  withMessages(['conversation', 'components'], () => import('./conversation/conversation.tsx')),
);

const ComparePage = lazy(
  withMessages(['compare', 'conversation', 'components'], () => import('./compare/compare-page.tsx')),
);

export default function ChatPage() {
  const [, params] = useRoute('/chat/:sessionId');
  const [, navigate] = useLocation();
  const [isListOpen, list] = useDisclosure();
  const sessionId = params?.sessionId ?? null;
  useHotkeys([['mod+shift+O', () => navigate('/chat')]], []);
  return (
    <div className={classes.page}>
      <div className={classes.list}>
        <SessionList current={sessionId} />
      </div>
      <SideDrawer opened={isListOpen} onClose={list.close} title={t('common.conversations')} size={320} hiddenFrom="md">
        <div className={classes.drawer}>
          <SessionList current={sessionId} onChoose={list.close} />
        </div>
      </SideDrawer>
      {sessionId === 'compare' ? (
        <Suspense fallback={<Loading />}>
          <ComparePage />
        </Suspense>
      ) : sessionId === null ? (
        <NewConversation onOpenList={list.open} />
      ) : (
        <Suspense fallback={<Loading />}>
          <Conversation key={sessionId} sessionId={sessionId} onOpenList={list.open} />
        </Suspense>
      )}
    </div>
  );
}
