import type { UsageReport } from '@chorus/client';
import { ChartBarIcon } from '@heroicons/react/24/outline';
import { Group, Progress, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { EmptyState } from '../../../components/empty-state.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import { sizeText } from '../../../components/size.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { BarChart } from './bar-chart.tsx';
import { SumTable } from './sum-table.tsx';
import { byDay, daysBefore, type Measure, measures, sumsBy } from './usage-sums.ts';
import { useKeyNames } from './use-key-names.ts';

/** What was used in the scope: by day and by model. */
export default function UsagePanel() {
  const { client, scopeKey } = useScope();
  const [days, setDays] = useState(30);
  const [measure, setMeasure] = useState<Measure>('executions');
  const usage = useQuery({
    queryKey: [scopeKey, 'usage', days],
    queryFn: ({ signal }) => client.usage.get({ from: daysBefore(new Date(), days - 1) }, { signal }),
  });
  return (
    <Stack>
      <Group justify="space-between">
        <SegmentedControl
          data={[
            { value: '7', label: '7 days' },
            { value: '30', label: '30 days' },
            { value: '90', label: '90 days' },
          ]}
          value={String(days)}
          onChange={(value) => setDays(Number(value))}
          aria-label="How far back"
        />
        <SegmentedControl
          data={measures.map(({ value, label }) => ({ value, label }))}
          value={measure}
          onChange={(value) => setMeasure(value as Measure)}
          aria-label="What is shown"
        />
      </Group>
      <QueryView query={usage}>
        {(report) => (
          <>
            <Storage storage={report.storage} />
            {report.total.executions === 0 ? (
              <EmptyState title="Nothing was used" icon={ChartBarIcon}>
                Answers, images and documents of these days are counted here.
              </EmptyState>
            ) : (
              <Report report={report} measure={measure} />
            )}
          </>
        )}
      </QueryView>
    </Stack>
  );
}

function Report({ report, measure }: { report: UsageReport; measure: Measure }) {
  const { total } = report;
  const nameOfKey = useKeyNames();
  const format = measures.find(({ value }) => value === measure)?.format ?? String;
  return (
    <>
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        <Figure name="Executions" value={total.executions.toLocaleString()} />
        <Figure name="Tokens in" value={total.input_tokens.toLocaleString()} />
        <Figure name="Tokens out" value={total.output_tokens.toLocaleString()} />
        <Figure
          name={total.unpriced_executions > 0 ? `Cost, without ${total.unpriced_executions} of no known price` : 'Cost'}
          value={`$${total.cost_usd.toFixed(2)}`}
        />
      </SimpleGrid>
      <BarChart label={`By day, from ${report.from} to ${report.to}`} bars={byDay(report, measure)} format={format} />
      <SumTable of="Model" sums={sumsBy(report, ({ model }) => model ?? 'No model')} />
      <SumTable of="Key" sums={sumsBy(report, ({ api_key_id: id }) => nameOfKey(id))} />
    </>
  );
}

/** What the scope stores now, and how much it may. */
function Storage({ storage: { used_bytes: used, limit_bytes: limit } }: Pick<UsageReport, 'storage'>) {
  if (limit === null) return <Figure name="Stored files" value={sizeText(used)} />;
  const share = limit === 0 ? 100 : Math.min(100, (used / limit) * 100);
  return (
    <div>
      <Figure name="Stored files" value={`${sizeText(used)} of ${sizeText(limit)}`} />
      <Progress value={share} color={share > 90 ? 'red' : 'blue'} mt={4} aria-label="Used storage" />
    </div>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <Text size="xl" fw={700}>
        {value}
      </Text>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
    </div>
  );
}
