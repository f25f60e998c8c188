import { ChorusError } from '@chorus/client';
import { PhoneIcon } from '@heroicons/react/24/outline';
import { ActionIcon, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { Link } from 'wouter';
import { ErrorState, Loading } from '../../../components/placeholders.tsx';
import { notifyError } from '../../../data/notify.ts';
import { useAgents, useModels } from '../../../data/queries.ts';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { useRole } from '../../../scope/use-role.ts';
import { Composer } from '../composer/composer.tsx';
import { SessionMenu } from '../sessions/session-menu.tsx';
import classes from './conversation.module.css';
import { ConversationHeader } from './conversation-header.tsx';
import { DeletedConversation } from './deleted-conversation.tsx';
import { TemporaryNotice, useEraseOnLeave } from './temporary-notice.tsx';
import { Transcript } from './transcript.tsx';
import { useMessages } from './use-messages.ts';
import { useTurn } from './use-turn.ts';

const isNotFound = (error: unknown) => error instanceof ChorusError && error.code === 'not_found';

interface ConversationProps {
  sessionId: string;
  onOpenList: () => void;
}

export default function Conversation({ sessionId, onOpenList }: ConversationProps) {
  const { client, scopeKey } = useScope();
  const session = useQuery({
    queryKey: [scopeKey, 'sessions', 'one', sessionId],
    queryFn: ({ signal }) => client.sessions.get(sessionId, { signal }),
  });
  const agents = useAgents();
  const isEditor = useRole().isAtLeast('editor');
  const { messages, answering, isPending, error, hasMore, loadMore, reload } = useMessages(sessionId);
  useEraseOnLeave(session.data);
  const [isStopping, setIsStopping] = useState(false);
  const turn = useTurn(sessionId);
  const { mutate } = turn;
  const regenerate = useCallback((messageId: string) => mutate({ regenerate_from: messageId }), [mutate]);

  const stop = async () => {
    if (!answering?.execution_id) return;
    setIsStopping(true);
    await client.jobs.cancel(answering.execution_id).catch(notifyError);
    setIsStopping(false);
  };

  if ([session.error, turn.error, error].some(isNotFound))
    return <DeletedConversation sessionId={sessionId} onOpenList={onOpenList} />;
  if (error) return <ErrorState error={error} onRetry={reload} />;
  return (
    <section className={classes.conversation} aria-label={t('components.conversation')}>
      <ConversationHeader
        title={session.data?.temporary ? t('modes.temporary') : (session.data?.title ?? '')}
        agent={agents.data?.find(({ id }) => id === session.data?.agent_id)?.name}
        onOpenList={onOpenList}
      >
        <VoiceLink sessionId={sessionId} />
        {session.data && !session.data.temporary && isEditor && <SessionMenu session={session.data} />}
      </ConversationHeader>
      {session.data?.temporary && <TemporaryNotice session={session.data} />}
      {isPending ? (
        <Loading />
      ) : (
        <Transcript
          messages={messages}
          hasEarlier={hasMore}
          onEarlier={loadMore}
          // Shown until the server has stored it.
          pending={turn.isPending ? turn.variables.message : undefined}
          onEnd={reload}
          onRegenerate={regenerate}
          isAnswering={answering !== undefined || turn.isPending}
        />
      )}
      <Composer
        draftKey={sessionId}
        isAnswering={answering !== undefined}
        isBusy={turn.isPending || isStopping}
        onStop={stop}
        onSend={(draft) => turn.mutateAsync({ session_id: sessionId, ...draft })}
      />
    </section>
  );
}

/** Continues the conversation by voice. Hidden if no model can speak. */
function VoiceLink({ sessionId }: { sessionId: string }) {
  const isEditor = useRole().isAtLeast('editor');
  const hasSpeech = useModels('speech').length > 0;
  if (!isEditor || !hasSpeech) return null;
  return (
    <Tooltip label={t('conversation.continueByVoice')}>
      <ActionIcon
        component={Link}
        href={`/voice?session=${sessionId}`}
        variant="subtle"
        color="gray"
        aria-label={t('conversation.continueByVoice')}
      >
        <PhoneIcon />
      </ActionIcon>
    </Tooltip>
  );
}
