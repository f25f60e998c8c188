import { hasEnded, type Message } from '@chorus/client';
import { XMarkIcon } from '@heroicons/react/24/outline';
import { ActionIcon, Button, Select, Text, Tooltip } from '@mantine/core';
import { useEffect } from 'react';
import { Markdown } from '../../../components/markdown/markdown.tsx';
import { ErrorAlert, Loading } from '../../../components/placeholders.tsx';
import { t } from '../../../i18n/i18n.ts';
import { FinishedAnswer, LiveAnswer } from '../conversation/answer.tsx';
import { AnswerFacts } from '../conversation/answer-facts.tsx';
import { useMessages } from '../conversation/use-messages.ts';
import { UserBubble } from '../conversation/user-bubble.tsx';
import classes from './compare-page.module.css';
import type { Column, useComparison } from './use-comparison.ts';

interface CompareColumnProps {
  column: Column;
  number: number;
  comparison: ReturnType<typeof useComparison>;
}

export function CompareColumn({ column, number, comparison }: CompareColumnProps) {
  const { models, columns, hasBegun, setModel, removeColumn, continueWith, onEnd } = comparison;
  const { key, model, sessionId, pending, executionId, error } = column;
  return (
    <section className={classes.column} aria-label={model}>
      <div className={classes.head}>
        {hasBegun ? (
          <Text size="sm" fw={600} truncate flex={1}>
            {model}
          </Text>
        ) : (
          <Select
            size="xs"
            flex={1}
            aria-label={t('compare.model', { number })}
            data={models}
            value={model}
            onChange={(value) => value !== null && setModel(key, value)}
            searchable={models.length > 8}
            allowDeselect={false}
          />
        )}
        {!hasBegun && columns.length > 1 && (
          <Tooltip label={t('compare.removeModel', { model })}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('compare.removeModel', { model })}
              onClick={() => removeColumn(key)}
            >
              <XMarkIcon />
            </ActionIcon>
          </Tooltip>
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <div className={classes.messages} tabIndex={0} role="log" aria-label={t('compare.answerOf', { model })}>
        {sessionId !== null && <ColumnMessages sessionId={sessionId} onEnd={() => onEnd(key)} />}
        {pending !== null && (
          <UserBubble>
            <Markdown text={pending} />
          </UserBubble>
        )}
        {error !== null && <ErrorAlert error={error} />}
      </div>
      <div className={classes.foot}>
        {sessionId !== null && (
          <Button
            fullWidth
            variant="default"
            disabled={executionId !== null || pending !== null}
            onClick={() => continueWith(column)}
          >
            {t('compare.continueWith')}
          </Button>
        )}
      </div>
    </section>
  );
}

function ColumnMessages({ sessionId, onEnd }: { sessionId: string; onEnd: () => void }) {
  const { messages, answering, isPending, reload } = useMessages(sessionId);
  const hasAnswers = messages.length > 0;
  const isDone = hasAnswers && answering === undefined;
  useEffect(() => {
    if (isDone) onEnd();
  }, [isDone, onEnd]);
  if (isPending) return <Loading />;
  return messages.map((message) => <ColumnMessage key={message.id} message={message} onEnd={reload} />);
}

function ColumnMessage({ message, onEnd }: { message: Message; onEnd: () => void }) {
  if (message.role === 'user')
    return (
      <article aria-label={t('compare.you')}>
        <UserBubble>
          <Markdown text={message.content} />
        </UserBubble>
      </article>
    );
  if (!hasEnded(message) && message.execution_id !== null)
    return <LiveAnswer executionId={message.execution_id} status={message.status} onEnd={onEnd} />;
  return (
    <article>
      <FinishedAnswer message={message} onRegenerate={undefined} />
      <AnswerFacts message={message} />
    </article>
  );
}
