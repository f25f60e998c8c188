import type { Message } from '@chorus/client';
import { Anchor, Stack, Table, Text } from '@mantine/core';
import { skipToken, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { AgentSteps } from '../../../components/agent-steps/agent-steps.tsx';
import { segmentsOfMessage } from '../../../components/agent-steps/segments.ts';
import { Cost } from '../../../components/cost.tsx';
import { SideDrawer } from '../../../components/dialog.tsx';
import { formatDuration, Time } from '../../../components/format.tsx';
import { useSources } from '../../../components/sources.tsx';
import { Dimmed, SectionTitle } from '../../../components/text.tsx';
import { Warnings } from '../../../components/warnings.tsx';
import { formatNumber, t } from '../../../i18n/i18n.ts';
import type { MessageKey } from '../../../i18n/messages.ts';
import { useScope } from '../../../scope/scope-context.tsx';

interface AnswerDetailsProps {
  message: Message;
  opened: boolean;
  onClose: () => void;
}

/** Shows what an answer is based on, with its time, tokens, and cost. */
export default function AnswerDetails({ message, opened, onClose }: AnswerDetailsProps) {
  return (
    <SideDrawer opened={opened} onClose={onClose} title={t('conversation.whyThisAnswer')} position="right" size="md">
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
      <Section title={t('conversation.whatTheModelRead')}>
        <Text size="sm">{contextText(job?.context ?? null)}</Text>
      </Section>
      <Section title={t('components.sources')}>{list ?? <Dimmed>{t('conversation.noneCited')}</Dimmed>}</Section>
      {calls.length > 0 && (
        <Section title={t('components.steps')}>
          <AgentSteps calls={calls} />
        </Section>
      )}
      {reasoning !== null && reasoning !== '' && (
        <Section title={t('components.reasoning')}>
          <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {reasoning}
          </Text>
        </Section>
      )}
      <Warnings warnings={warnings} />
      {job && (
        <Anchor component={Link} href={`/jobs/${job.id}`} size="sm">
          {t('components.viewJob')}
        </Anchor>
      )}
      {job?.urls.trace && (
        <Anchor href={job.urls.trace} target="_blank" rel="noreferrer" size="sm">
          {t('components.viewTrace')}
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
    [t('common.model'), model ?? t('components.unknown')],
    [t('conversation.asked'), <Time key="asked" at={created_at} />],
    [t('conversation.timeTaken'), duration_ms === null ? t('components.unknown') : formatDuration(duration_ms)],
    [
      t('conversation.tokensRead'),
      usage && tokensText(usage.input_tokens, usage.cached_input_tokens, 'conversation.cachedTokens'),
    ],
    [
      t('conversation.tokensWritten'),
      usage && tokensText(usage.output_tokens, usage.reasoning_tokens, 'conversation.reasoningTokens'),
    ],
    [
      t('components.cost'),
      usage?.cost_usd != null && <Cost key="cost" usd={usage.cost_usd} isEstimated={usage.estimated === true} />,
    ],
  ];
  return (
    <Table variant="vertical" layout="fixed" withTableBorder>
      <Table.Tbody>
        {rows.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th w={132}>{name}</Table.Th>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>{value || t('components.unknown')}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function tokensText(total: number, part: number | undefined, withPart: MessageKey): string {
  return part ? t(withPart, { total, part }) : formatNumber(total);
}

interface Context {
  messages: number;
  dropped: boolean;
}

function contextText(context: Context | null): string {
  if (context === null) return t('conversation.contextUnknown');
  const rest = context.dropped ? t('conversation.olderLeftOut') : t('conversation.nothingLeftOut');
  return `${t('conversation.messagesRead', { count: context.messages })} ${rest}`;
}
