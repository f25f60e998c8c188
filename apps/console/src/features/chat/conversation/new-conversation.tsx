import { Text, Title, UnstyledButton } from '@mantine/core';
import { useLocation } from 'wouter';
import { Composer } from '../composer/composer.tsx';
import classes from './conversation.module.css';
import { ConversationHeader } from './conversation-header.tsx';
import { useTurn } from './use-turn.ts';

const openers = [
  'What can you do here?',
  'Write a small table of the planets and their moons',
  'Show me a function that reverses a string in TypeScript',
];

export function NewConversation({ onOpenList }: { onOpenList: () => void }) {
  const [, navigate] = useLocation();
  const turn = useTurn(({ session_id }) => navigate(`/chat/${session_id}`));
  return (
    <section className={classes.conversation} aria-label="New conversation">
      <ConversationHeader title="New conversation" onOpenList={onOpenList} />
      <div className={classes.welcome}>
        <Title order={2} ta="center">
          What is on your mind?
        </Title>
        <div className={classes.openers}>
          {openers.map((message) => (
            <UnstyledButton
              key={message}
              className={classes.opener}
              onClick={() => turn.mutate({ message })}
              disabled={turn.isPending}
            >
              {message}
            </UnstyledButton>
          ))}
        </div>
        <Text size="sm" c="dimmed" ta="center">
          Answers go on also when this page is closed.
        </Text>
      </div>
      <Composer isAnswering={false} isBusy={turn.isPending} onSend={(draft) => turn.mutateAsync(draft)} />
    </section>
  );
}
