import { Select, Title, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { Dimmed } from '../../../components/text.tsx';
import { useAgents } from '../../../data/queries.ts';
import { useRole } from '../../../scope/use-role.ts';
import { Composer, type Draft } from '../composer/composer.tsx';
import { NEW } from '../composer/use-model-parameters.ts';
import classes from './conversation.module.css';
import { ConversationHeader } from './conversation-header.tsx';
import bubble from './message-view.module.css';
import { useTurn } from './use-turn.ts';
import { UserBubble } from './user-bubble.tsx';

const suggestions = [
  'What can you do here?',
  'Write a small table of the planets and their moons',
  'Show me a function that reverses a string in TypeScript',
];

export function NewConversation({ onOpenList }: { onOpenList: () => void }) {
  const [, navigate] = useLocation();
  const { isAtLeast } = useRole();
  const [agent, setAgent] = useState<string | null>(null);
  const turn = useTurn(null, ({ session_id }) => navigate(`/chat/${session_id}`));
  const start = (draft: Draft) => turn.mutateAsync({ ...draft, ...(agent !== null && { agent }) });
  return (
    <section className={classes.conversation} aria-label="New conversation">
      <ConversationHeader title="New conversation" onOpenList={onOpenList} />
      {turn.isPending ? (
        <div className={classes.sent}>
          <UserBubble>
            <div className={bubble.plain}>{turn.variables.message ?? ''}</div>
          </UserBubble>
        </div>
      ) : (
        <div className={classes.welcome}>
          <Title order={2} ta="center">
            What can I help with?
          </Title>
          {isAtLeast('editor') && (
            <>
              <AgentPicker agent={agent} onChange={setAgent} />
              <div className={classes.openers}>
                {suggestions.map((message) => (
                  <UnstyledButton
                    key={message}
                    className={classes.opener}
                    // reported by the mutation
                    onClick={() => start({ message }).catch(() => undefined)}
                  >
                    {message}
                  </UnstyledButton>
                ))}
              </div>
            </>
          )}
          <Dimmed ta="center">Answers continue even if you close this page.</Dimmed>
        </div>
      )}
      <Composer draftKey={NEW} isAnswering={false} isBusy={turn.isPending} onSend={start} />
    </section>
  );
}

interface AgentPickerProps {
  agent: string | null;
  onChange: (agent: string | null) => void;
}

/** Selects the agent of a new conversation. Hidden if there are no agents. */
function AgentPicker({ agent, onChange }: AgentPickerProps) {
  const { data = [] } = useAgents();
  if (data.length === 0) return null;
  return (
    <Select
      aria-label="Agent"
      placeholder="No agent: default assistant"
      data={data.map(({ id, name }) => ({ value: id, label: name }))}
      value={agent}
      onChange={onChange}
      searchable={data.length > 8}
      clearable
      w={280}
      mx="auto"
    />
  );
}
