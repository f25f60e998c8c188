import { Text, Title, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useRole } from '../../../scope/use-role.ts';
import { Composer, type Draft } from '../composer/composer.tsx';
import { AgentPicker } from './agent-picker.tsx';
import classes from './conversation.module.css';
import { ConversationHeader } from './conversation-header.tsx';
import { useTurn } from './use-turn.ts';
import { UserBubble } from './user-bubble.tsx';

const openers = [
  'What can you do here?',
  'Write a small table of the planets and their moons',
  'Show me a function that reverses a string in TypeScript',
];

export function NewConversation({ onOpenList }: { onOpenList: () => void }) {
  const [, navigate] = useLocation();
  const { isAtLeast } = useRole();
  const [agent, setAgent] = useState<string | null>(null);
  const turn = useTurn(({ session_id }) => navigate(`/chat/${session_id}`));
  const begin = (draft: Draft) => turn.mutateAsync({ ...draft, ...(agent !== null && { agent }) });
  return (
    <section className={classes.conversation} aria-label="New conversation">
      <ConversationHeader title="New conversation" onOpenList={onOpenList} />
      {turn.isPending ? (
        <div className={classes.sent}>
          <UserBubble text={turn.variables.message ?? ''} />
        </div>
      ) : (
        <div className={classes.welcome}>
          <Title order={2} ta="center">
            What is on your mind?
          </Title>
          {isAtLeast('editor') && (
            <>
              <AgentPicker agent={agent} onChange={setAgent} />
              <div className={classes.openers}>
                {openers.map((message) => (
                  <UnstyledButton
                    key={message}
                    className={classes.opener}
                    // What went wrong is told.
                    onClick={() => begin({ message }).catch(() => undefined)}
                  >
                    {message}
                  </UnstyledButton>
                ))}
              </div>
            </>
          )}
          <Text size="sm" c="dimmed" ta="center">
            Answers go on also when this page is closed.
          </Text>
        </div>
      )}
      <Composer place="new" isAnswering={false} isBusy={turn.isPending} onSend={begin} />
    </section>
  );
}
