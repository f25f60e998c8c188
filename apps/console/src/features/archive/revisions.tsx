import { Accordion, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Markdown } from '../../components/markdown/markdown.tsx';
import { Time } from '../../components/time.tsx';
import { useScope } from '../../scope/scope-context.tsx';

/** What a text has said before, the newest first. @param revision the one of now */
export function Revisions({ unitId, revision }: { unitId: string; revision: number }) {
  const { client, scopeKey } = useScope();
  const { data } = useQuery({
    queryKey: [scopeKey, 'archive', 'revisions', unitId, revision],
    queryFn: ({ signal }) => Array.fromAsync(client.archive.revisions(unitId, { signal })),
  });
  if (!data) return null;
  return (
    <section>
      <Title order={2} size="h5" mb="xs">
        Earlier
      </Title>
      <Accordion variant="contained" order={3}>
        {data.toReversed().map(({ revision: number, title, content, created_at }) => (
          <Accordion.Item key={number} value={String(number)}>
            <Accordion.Control>
              <Text size="sm">
                {title} · <Time at={created_at} />
              </Text>
            </Accordion.Control>
            <Accordion.Panel>
              <Markdown text={content} />
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </section>
  );
}
