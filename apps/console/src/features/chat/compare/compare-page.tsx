import { ArrowUpIcon, PlusIcon, StopIcon } from '@heroicons/react/24/outline';
import { ActionIcon, Button, Text, Textarea } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { Link } from 'wouter';
import { usePageTitle } from '../../../components/page-title.ts';
import { t } from '../../../i18n/i18n.ts';
import header from '../conversation/conversation.module.css';
import { CompareColumn } from './compare-column.tsx';
import classes from './compare-page.module.css';
import { MAX_COMPARED, useComparison } from './use-comparison.ts';

/** Asks several models the same question side by side. */
export default function ComparePage() {
  const comparison = useComparison();
  const { columns, hasBegun } = comparison;
  usePageTitle(t('compare.title'));
  return (
    <section className={header.conversation} aria-label={t('compare.title')}>
      <header className={header.header}>
        <Text component="h1" fw={600} className={header.title}>
          {t('compare.title')}
        </Text>
        {hasBegun ? (
          <Button size="compact-sm" variant="default" onClick={comparison.startOver}>
            {t('compare.startOver')}
          </Button>
        ) : (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<PlusIcon />}
            disabled={columns.length >= MAX_COMPARED}
            onClick={comparison.addColumn}
          >
            {t('compare.addModel')}
          </Button>
        )}
        <Button size="compact-sm" variant="subtle" component={Link} href="/chat">
          {t('compare.back')}
        </Button>
      </header>
      <div className={classes.columns} data-count={columns.length}>
        {columns.map((column, index) => (
          <CompareColumn key={column.key} column={column} number={index + 1} comparison={comparison} />
        ))}
      </div>
      <QuestionForm comparison={comparison} />
    </section>
  );
}

function QuestionForm({ comparison }: { comparison: ReturnType<typeof useComparison> }) {
  const [text, setText] = useState('');
  const { isAnswering, hasBegun, ask, stop } = comparison;
  const canSend = text.trim() !== '' && !isAnswering;
  const send = () => {
    if (!canSend) return;
    ask(text);
    setText('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // During composition with an input method, Enter confirms the word.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <div className={classes.question}>
      {!hasBegun && (
        <Text size="sm" c="dimmed" ta="center">
          {t('compare.intro')}
        </Text>
      )}
      <div className={classes.form}>
        <Textarea
          flex={1}
          variant="unstyled"
          dir="auto"
          autosize
          minRows={1}
          maxRows={8}
          autoFocus
          aria-label={t('compare.question')}
          placeholder={t('compare.placeholder')}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        {isAnswering ? (
          <ActionIcon size="lg" radius="xl" color="red" onClick={stop} aria-label={t('compare.stop')}>
            <StopIcon />
          </ActionIcon>
        ) : (
          <ActionIcon size="lg" radius="xl" onClick={send} disabled={!canSend} aria-label={t('compare.send')}>
            <ArrowUpIcon />
          </ActionIcon>
        )}
      </div>
    </div>
  );
}
