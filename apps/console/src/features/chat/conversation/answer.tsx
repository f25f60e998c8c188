import type { Message } from '@chorus/client';
import { ExclamationTriangleIcon } from '@heroicons/react/24/outline';
import { Alert, Button, Group, Loader, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Markdown } from '../../../components/markdown/markdown.tsx';
import { ErrorState } from '../../../components/placeholders.tsx';
import { useSources } from '../../../components/sources.tsx';
import { Dimmed } from '../../../components/text.tsx';
import { Reasoning, ToolCalls } from '../../../components/thoughts.tsx';
import { useExecution } from '../../../data/use-execution.ts';
import { useScope } from '../../../scope/scope-context.tsx';

interface FinishedAnswerProps {
  message: Message;
  onRegenerate: ((messageId: string) => void) | undefined;
}

export function FinishedAnswer({ message, onRegenerate }: FinishedAnswerProps) {
  const { reference, list } = useSources(message.citations);
  return (
    <div>
      <Reasoning text={message.reasoning_content ?? ''} />
      {message.content !== '' && <Markdown text={message.content} reference={reference} />}
      <ToolCalls calls={message.tool_calls.map(({ id, function: called }) => ({ id, ...called }))} />
      {list}
      {message.status === 'cancelled' && <Dimmed mt="xs">Stopped.</Dimmed>}
      {message.status === 'failed' && message.execution_id !== null && (
        <FailedAnswer executionId={message.execution_id} onRetry={onRegenerate && (() => onRegenerate(message.id))} />
      )}
    </div>
  );
}

function FailedAnswer({ executionId, onRetry }: { executionId: string; onRetry: (() => void) | undefined }) {
  const { client, scopeKey } = useScope();
  const { data } = useQuery({
    queryKey: [scopeKey, 'jobs', 'one', executionId],
    queryFn: ({ signal }) => client.jobs.get(executionId, { signal }),
  });
  return (
    <Alert color="red" icon={<ExclamationTriangleIcon />} title="This answer failed" mt="xs">
      <Text size="sm">{data?.error?.message ?? 'No details are available.'}</Text>
      {onRetry && (
        <Button size="xs" variant="default" mt="sm" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}

export function LiveAnswer({ executionId, onEnd }: { executionId: string; onEnd: () => void }) {
  const execution = useExecution(executionId, onEnd);
  const { output, status, connection, error, reasoning, toolCalls } = execution;
  const text = execution.text + execution.refusal;
  const { reference, list } = useSources(output.filter((item) => item?.type === 'citation'));
  if (error !== null) return <ErrorState error={error} onRetry={onEnd} />;
  return (
    <div>
      <Reasoning text={reasoning} />
      {text !== '' && <Markdown text={text} reference={reference} />}
      <ToolCalls calls={toolCalls} />
      {list}
      <Group gap="xs" mt={text === '' ? 0 : 'xs'}>
        <Loader size="xs" type="dots" aria-hidden />
        <Dimmed>
          {connection === 'waiting'
            ? 'Connection lost. The answer continues when it is back…'
            : statusText(status, text)}
        </Dimmed>
      </Group>
    </div>
  );
}

function statusText(status: string, text: string): string {
  if (status === 'queued') return 'Queued…';
  return text === '' ? 'Thinking…' : 'Writing…';
}
