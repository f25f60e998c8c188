import { Select, Title, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { Dimmed } from '../../../components/text.tsx';
import { useAgents } from '../../../data/queries.ts';
import { t } from '../../../i18n/i18n.ts';
import { useRole } from '../../../scope/use-role.ts';
import { Composer, type Draft } from '../composer/composer.tsx';
import { NEW } from '../composer/use-model-parameters.ts';
import classes from './conversation.module.css';
import { ConversationHeader } from './conversation-header.tsx';
import bubble from './message-view.module.css';
import { NewModes } from './new-modes.tsx';
import { TemporaryNotice } from './temporary-notice.tsx';
import { useTurn } from './use-turn.ts';
import { UserBubble } from './user-bubble.tsx';

const suggestions = ['chat.suggestHelp', 'chat.suggestTable', 'chat.suggestCode'] as const;

export function NewConversation({ onOpenList }: { onOpenList: () => void }) {
  const [, navigate] = useLocation();
  const { isAtLeast } = useRole();
  const [agent, setAgent] = useState<string | null>(null);
  const [isTemporary, setIsTemporary] = useState(false);
  const turn = useTurn(null, ({ session_id }) => navigate(`/chat/${session_id}`));
  const start = (draft: Draft) =>
    turn.mutateAsync({ ...draft, ...(agent !== null && { agent }), ...(isTemporary && { temporary: true }) });
  return (
    <section className={classes.conversation} aria-label={t('common.newConversation')}>
      <ConversationHeader
        title={isTemporary ? t('modes.temporary') : t('common.newConversation')}
        onOpenList={onOpenList}
      >
        {isAtLeast('editor') && <NewModes isTemporary={isTemporary} onTemporary={setIsTemporary} />}
      </ConversationHeader>
      {isTemporary && <TemporaryNotice />}
      {turn.isPending ? (
        <div className={classes.sent}>
          <UserBubble>
            <div className={bubble.plain} dir="auto">
              {turn.variables.message ?? ''}
            </div>
          </UserBubble>
        </div>
      ) : (
        <div className={classes.welcome}>
          <Title order={2} ta="center">
            {t('chat.welcome')}
          </Title>
          {isAtLeast('editor') && (
            <>
              <AgentPicker agent={agent} onChange={setAgent} />
              <div className={classes.openers}>
                {suggestions.map((suggestion) => (
                  <UnstyledButton
                    key={suggestion}
                    className={classes.opener}
                    // reported by the mutation
                    onClick={() => start({ message: t(suggestion) }).catch(() => undefined)}
                  >
                    {t(suggestion)}
                  </UnstyledButton>
                ))}
              </div>
            </>
          )}
          <Dimmed ta="center">{t('chat.answersContinue')}</Dimmed>
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
      aria-label={t('chat.agent')}
      placeholder={t('chat.noAgent')}
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
