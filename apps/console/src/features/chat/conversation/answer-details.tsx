import type { Message } from '@chorus/client';
import { Anchor, Stack, Table, Text } from '@mantine/core';
import { skipToken, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { AgentSteps } from '../../../components/agent-steps/agent-steps.tsx';
import { segmentsOfMessage } from '../../../components/agent-steps/segments.ts';
import { SideDrawer } from '../../../components/dialog.tsx';
import { formatCost, formatDuration, Time } from '../../../components/format.tsx';

import { useSources } from '../../../components/sources.tsx';
import { Dimmed, SectionTitle } from '../../../components/text.tsx';
import { Warnings } from '../../../components/warnings.tsx';
import { useScope } from '../../../scope/scope-context.tsx';

interface AnswerDetailsProps {
  message: Message;
  opened: boolean;
  onClose: () => void;
}

/** Shows what an answer is based on, and what it took. */
export default function AnswerDetails({ message, opened, onClose }: AnswerDetailsProps) {
  return (
    <SideDrawer opened={opened} onClose={onClose} title="Why this answer" position="right" size="md">
      <Details message={message} />
    </SideDrawer>
  );
}

function Details({ message }: { message: Message }) {
  const { client, scopeKey } = useScope();
  const { execution_id: id, reasoning_content: reasoning, citations, warnings } = message;
  const { data: job } = useQuery({
    queryKey: [scopeKey, 'jobs', 'one', id],
    queryFn: id === null ? skipToken : ({ signal }) => client.jobs.get(id, { signal }),
    retry: false,
  });
  const { list } = useSources(citations);
  const calls = segmentsOfMessage(message).flatMap((segment) => (segment.type === 'calls' ? segment.calls : []));
  return (
    <Stack>
      <Facts message={message} />
      <Section title="What the model read">
        <Text size="sm">{contextText(job?.context ?? null)}</Text>
      </Section>
      <Section title="Sources">{list ?? <Dimmed>None cited.</Dimmed>}</Section>
      {calls.length > 0 && (
        <Section title="Steps">
          <AgentSteps calls={calls} />
        </Section>
      )}
      {reasoning !== null && reasoning !== '' && (
        <Section title="Reasoning">
          <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {reasoning}
          </Text>
        </Section>
      )}
      <Warnings warnings={warnings} />
      {job && (
        <Anchor component={Link} href={`/jobs/${job.id}`} size="sm">
          View job
        </Anchor>
      )}
    </Stack>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <SectionTitle mb={4}>{title}</SectionTitle>
      {children}
    </section>
  );
}

function Facts({ message: { model, duration_ms, usage, created_at } }: { message: Message }) {
  const rows: [string, ReactNode][] = [
    ['Model', model ?? 'Unknown'],
    ['Asked', <Time key="asked" at={created_at} />],
    ['Time taken', duration_ms === null ? 'Unknown' : formatDuration(duration_ms)],
    ['Tokens read', usage && countOf(usage.input_tokens, usage.cached_input_tokens, 'from the cache')],
    ['Tokens written', usage && countOf(usage.output_tokens, usage.reasoning_tokens, 'of reasoning')],
    ['Cost', usage?.cost_usd == null ? 'Unknown' : formatCost(usage.cost_usd)],
  ];
  return (
    <Table variant="vertical" layout="fixed" withTableBorder>
      <Table.Tbody>
        {rows.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th w={132}>{name}</Table.Th>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>{value ?? 'Unknown'}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function countOf(total: number, part: number | undefined, label: string): string {
  return `${total.toLocaleString()}${part ? `, ${part.toLocaleString()} ${label}` : ''}`;
}

interface Context {
  messages: number;
  dropped: boolean;
}

function contextText(context: Context | null): string {
  if (context === null) return 'It is not known which messages the model received.';
  const count = context.messages === 1 ? 'One message' : `${context.messages.toLocaleString()} messages`;
  const rest = context.dropped ? 'Older messages did not fit and were left out.' : 'Nothing was left out.';
  return `${count} of this conversation. ${rest}`;
}
