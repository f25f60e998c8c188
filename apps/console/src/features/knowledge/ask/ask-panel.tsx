import { QuestionMarkCircleIcon } from '@heroicons/react/24/outline';
import { Button, Card, Group, Stack, TagsInput, Text, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ExecutionBar } from '../../../components/execution-bar.tsx';
import { Markdown } from '../../../components/markdown/markdown.tsx';
import { useSources } from '../../../components/sources/use-sources.tsx';
import { notifyError } from '../../../data/notify.ts';
import { useExecution } from '../../../data/use-execution.ts';
import { useKnownTags } from '../../../data/use-known-tags.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import classes from './ask-panel.module.css';

interface Asked {
  id: string;
  question: string;
}

/** Questions that documents answer, and nothing else. */
export default function AskPanel() {
  const { client } = useScope();
  const [question, setQuestion] = useState('');
  const known = useKnownTags();
  const [tags, setTags] = useState<string[]>([]);
  const [asked, setAsked] = useState<readonly Asked[]>([]);
  const ask = useMutation({
    mutationFn: () => client.knowledge.ask.start({ question, ...(tags.length > 0 && { tags }) }),
    onSuccess: ({ id }) => {
      setAsked((before) => [{ id, question }, ...before]);
      setQuestion('');
    },
    onError: notifyError,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    ask.mutate();
  };
  return (
    <div className={classes.panel}>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Textarea
            label="Question"
            placeholder="When did the mill burn down?"
            value={question}
            onChange={(event) => setQuestion(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
              event.preventDefault();
              if (question.trim() !== '') ask.mutate();
            }}
            autosize
            minRows={2}
            autoFocus
          />
          <Group align="flex-end">
            <TagsInput
              label="Only documents with a tag of"
              description={known.note}
              data={known.tags}
              value={tags}
              onChange={setTags}
              flex={1}
            />
            <Button type="submit" loading={ask.isPending} disabled={question.trim() === ''}>
              Ask
            </Button>
          </Group>
        </Stack>
      </form>
      {asked.length === 0 ? (
        <EmptyState title="Ask your documents" icon={QuestionMarkCircleIcon}>
          The answer comes from what they say, and each statement shows where it stands. Where they don't hold it, it
          says so.
        </EmptyState>
      ) : (
        asked.map((one) => <Answer key={one.id} asked={one} />)
      )}
    </div>
  );
}

function Answer({ asked: { id, question } }: { asked: Asked }) {
  const { text, output, status, progress, execution } = useExecution(id);
  const { reference, list } = useSources(output.filter((item) => item?.type === 'citation'));
  return (
    <Card withBorder component="article" aria-label={question} aria-busy={execution === null}>
      <Text fw={600} mb="xs">
        {question}
      </Text>
      {text === '' && execution === null && <ExecutionBar status={status} progress={progress} />}
      {text !== '' && <Markdown text={text} reference={reference} />}
      {list}
      {execution?.error && <Text c="red">{execution.error.message}</Text>}
      {execution?.warnings.map((warning) => (
        <Text key={warning} size="xs" c="dimmed" mt="xs">
          {warning}
        </Text>
      ))}
    </Card>
  );
}
