import type { PlatformLimits } from '@chorus/client';
import { Code, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formatSize } from '../../../components/format.tsx';
import { QueryView } from '../../../components/placeholders.tsx';
import { Dimmed, SectionTitle } from '../../../components/text.tsx';
import { useScope } from '../../../scope/scope-context.tsx';

type Limit = PlatformLimits['data'][number];

const NAMES: Readonly<Record<string, string>> = {
  executions: 'Queued and running jobs of a user',
  batches: 'Running batches of a user',
  event_streams: 'Open event streams of a user',
  waiting_requests: 'Waiting requests of a user',
  voice_sockets: 'Voice connections of a user',
  uploads: 'Uploads of a user at once',
  reads: 'Reads of a user or API key',
  writes: 'Changes by a user or API key',
  new_executions: 'New jobs of a user or API key',
  storage: 'Files of a personal scope or workspace',
};

/** The limits, which the environment sets. */
export function Limits() {
  const { client } = useScope();
  const limits = useQuery({
    queryKey: ['administration', 'limits'],
    queryFn: ({ signal }) => client.users.limits({ signal }),
  });
  return (
    <section>
      <SectionTitle mb={4}>Limits</SectionTitle>
      <Dimmed mb="md">Set by variables in the environment. API keys can have lower ones.</Dimmed>
      <QueryView query={limits}>
        {({ data }) => (
          <Table.ScrollContainer minWidth={480}>
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Limit</Table.Th>
                  <Table.Th ta="end">Value</Table.Th>
                  <Table.Th>Variable</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {data.map((limit) => (
                  <Table.Tr key={limit.name}>
                    <Table.Td>{NAMES[limit.name] ?? limit.name}</Table.Td>
                    <Table.Td ta="end">{inWords(limit)}</Table.Td>
                    <Table.Td>
                      <Code>{limit.variable}</Code>
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
      </QueryView>
    </section>
  );
}

function inWords({ value, unit }: Limit): string {
  if (value === null) return 'No limit';
  if (unit === 'bytes') return formatSize(value);
  return unit === 'per_minute' ? `${value.toLocaleString()} per minute` : value.toLocaleString();
}
