import { ChorusError } from '@chorus/client';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { ErrorState, Loading } from '../../../components/placeholders.tsx';
import { notifyError } from '../../../data/notify.ts';
import { useAgents } from '../../../data/queries.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { Composer } from '../composer/composer.tsx';
import { SessionMenu } from '../sessions/session-menu.tsx';
import classes from './conversation.module.css';
import { ConversationHeader } from './conversation-header.tsx';
import { DeletedConversation } from './deleted-conversation.tsx';
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
  const { messages, answering, isPending, error, hasMore, loadMore, readAnew } = useMessages(sessionId);
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
  if (error) return <ErrorState error={error} onRetry={readAnew} />;
  return (
    <section className={classes.conversation} aria-label="Conversation">
      <ConversationHeader
        title={session.data?.title ?? ''}
        agent={agents.data?.find(({ id }) => id === session.data?.agent_id)?.name}
        onOpenList={onOpenList}
      >
        {session.data && <SessionMenu session={session.data} />}
      </ConversationHeader>
      {isPending ? (
        <Loading />
      ) : (
        <Transcript
          messages={messages}
          hasEarlier={hasMore}
          onEarlier={loadMore}
          // Shown until the server has stored it.
          pending={turn.isPending ? turn.variables.message : undefined}
          onEnd={readAnew}
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
