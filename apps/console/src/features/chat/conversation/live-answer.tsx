import { Group, Loader, Text } from '@mantine/core';
import { Markdown } from '../../../components/markdown/markdown.tsx';
import { Problem } from '../../../components/problem.tsx';
import { useSources } from '../../../components/sources/use-sources.tsx';
import { useExecution } from '../../../data/use-execution.ts';

/** An answer while it is written, from its first word, wherever it was begun. */
export function LiveAnswer({ executionId, onEnd }: { executionId: string; onEnd: () => void }) {
  const { text, output, status, connection, error } = useExecution(executionId, onEnd);
  const { reference, list } = useSources(output.filter((item) => item?.type === 'citation'));
  if (error !== null) return <Problem error={error} onRetry={onEnd} />;
  return (
    <div>
      {text !== '' && <Markdown text={text} reference={reference} />}
      {list}
      <Group gap="xs" mt={text === '' ? 0 : 'xs'}>
        <Loader size="xs" type="dots" aria-hidden />
        <Text size="sm" c="dimmed">
          {connection === 'waiting'
            ? 'The connection is lost. The answer goes on when it is back …'
            : words(status, text)}
        </Text>
      </Group>
    </div>
  );
}

function words(status: string, text: string): string {
  if (status === 'queued') return 'Waiting for its turn …';
  return text === '' ? 'Thinking …' : 'Writing …';
}
