import { QuestionMarkCircleIcon } from '@heroicons/react/24/outline';
import { Button, Card, Group, Stack, TagsInput, Text, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Form } from '../../../components/form.tsx';
import { Markdown } from '../../../components/markdown/markdown.tsx';
import { EmptyState } from '../../../components/placeholders.tsx';
import { ExecutionBar } from '../../../components/progress-bars.tsx';
import { useSources } from '../../../components/sources.tsx';
import { Dimmed } from '../../../components/text.tsx';
import { useKnownTags } from '../../../data/queries.ts';
import { useExecution } from '../../../data/use-execution.ts';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';

interface AskedQuestion {
  id: string;
  question: string;
}

export default function AskPanel() {
  const { client } = useScope();
  const [question, setQuestion] = useState('');
  const known = useKnownTags();
  const [tags, setTags] = useState<string[]>([]);
  const [asked, setAsked] = useState<readonly AskedQuestion[]>([]);
  const ask = useMutation({
    mutationFn: () => client.knowledge.ask.start({ question, ...(tags.length > 0 && { tags }) }),
    onSuccess: ({ id }) => {
      setAsked((before) => [{ id, question }, ...before]);
      setQuestion('');
    },
  });
  return (
    <Stack maw={800} mx="auto">
      <Form onSubmit={() => ask.mutate()}>
        <Stack gap="sm">
          <Textarea
            label={t('knowledge.question')}
            placeholder={t('knowledge.questionExample')}
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
              label={t('components.onlyDocumentsTagged')}
              description={known.note}
              data={known.tags}
              value={tags}
              onChange={setTags}
              flex={1}
            />
            <Button type="submit" loading={ask.isPending} disabled={question.trim() === ''}>
              {t('knowledge.askTab')}
            </Button>
          </Group>
        </Stack>
      </Form>
      {asked.length === 0 ? (
        <EmptyState title={t('knowledge.askYourDocuments')} icon={QuestionMarkCircleIcon}>
          {t('knowledge.askHint')}
        </EmptyState>
      ) : (
        asked.map((one) => <Answer key={one.id} asked={one} />)
      )}
    </Stack>
  );
}

function Answer({ asked: { id, question } }: { asked: AskedQuestion }) {
  const { text, output, status, progress, waitingFor, execution } = useExecution(id);
  const { reference, list } = useSources(output.filter((item) => item?.type === 'citation'));
  return (
    <Card withBorder component="article" aria-label={question} aria-busy={execution === null}>
      <Text fw={600} mb="xs">
        {question}
      </Text>
      {text === '' && execution === null && (
        <ExecutionBar status={status} progress={progress} waitingFor={waitingFor} />
      )}
      {text !== '' && <Markdown text={text} reference={reference} />}
      {list}
      {execution?.error && <Text c="red">{execution.error.message}</Text>}
      {execution?.warnings.map((warning) => (
        <Dimmed key={warning} size="xs" mt="xs">
          {warning}
        </Dimmed>
      ))}
    </Card>
  );
}
