import type { Message } from '@chorus/client';
import { ExclamationTriangleIcon } from '@heroicons/react/24/outline';
import { Alert, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Markdown } from '../../../components/markdown/markdown.tsx';
import { useSources } from '../../../components/sources/use-sources.tsx';
import { useScope } from '../../../scope/scope-context.tsx';

interface EndedAnswerProps {
  message: Message;
  onRegenerate: ((messageId: string) => void) | undefined;
}

export function EndedAnswer({ message, onRegenerate }: EndedAnswerProps) {
  const { reference, list } = useSources(message.citations);
  return (
    <div>
      {message.content !== '' && <Markdown text={message.content} reference={reference} />}
      {list}
      {message.status === 'cancelled' && (
        <Text size="sm" c="dimmed" mt="xs">
          Stopped.
        </Text>
      )}
      {message.status === 'failed' && message.execution_id !== null && (
        <Failure executionId={message.execution_id} onRetry={onRegenerate && (() => onRegenerate(message.id))} />
      )}
    </div>
  );
}

function Failure({ executionId, onRetry }: { executionId: string; onRetry: (() => void) | undefined }) {
  const { client, scopeKey } = useScope();
  const { data } = useQuery({
    queryKey: [scopeKey, 'jobs', 'one', executionId],
    queryFn: ({ signal }) => client.jobs.get(executionId, { signal }),
  });
  return (
    <Alert color="red" icon={<ExclamationTriangleIcon />} title="This answer failed" mt="xs">
      <Text size="sm">{data?.error?.message ?? 'Nothing more is known of it.'}</Text>
      {onRetry && (
        <Button size="xs" variant="default" mt="sm" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}
