import type { UsageReport } from '@chorus/client';
import { ChartBarIcon } from '@heroicons/react/24/outline';
import { Group, Progress, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatSize } from '../../../components/format.tsx';
import { EmptyState, QueryView } from '../../../components/placeholders.tsx';
import { Dimmed } from '../../../components/text.tsx';
import { useScope } from '../../../scope/scope-context.tsx';
import { BarChart, SumTable } from './usage-charts.tsx';
import { daysBefore, type Measure, measures, sumBy, sumByDay } from './usage-sums.ts';

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
          aria-label="Period"
        />
        <SegmentedControl
          data={measures.map(({ value, label }) => ({ value, label }))}
          value={measure}
          onChange={(value) => setMeasure(value as Measure)}
          aria-label="Measure"
        />
      </Group>
      <QueryView query={usage}>
        {(report) => (
          <>
            <Storage storage={report.storage} />
            {report.total.executions === 0 ? (
              <EmptyState title="No usage" icon={ChartBarIcon}>
                Answers, images, and documents in this period are counted here.
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
        <Stat name="Executions" value={total.executions.toLocaleString()} />
        <Stat name="Input tokens" value={total.input_tokens.toLocaleString()} />
        <Stat name="Output tokens" value={total.output_tokens.toLocaleString()} />
        <Stat
          name={
            total.unpriced_executions > 0
              ? `Cost, without ${total.unpriced_executions} executions of unknown price`
              : 'Cost'
          }
          value={`$${total.cost_usd.toFixed(2)}`}
        />
      </SimpleGrid>
      <BarChart
        label={`By day, from ${report.from} to ${report.to}`}
        bars={sumByDay(report, measure)}
        format={format}
      />
      <SumTable of="Model" sums={sumBy(report, ({ model }) => model ?? 'No model')} />
      <SumTable of="Key" sums={sumBy(report, ({ api_key_id: id }) => nameOfKey(id))} />
    </>
  );
}

function Storage({ storage: { used_bytes: used, limit_bytes: limit } }: Pick<UsageReport, 'storage'>) {
  if (limit === null) return <Stat name="Stored files" value={formatSize(used)} />;
  const share = limit === 0 ? 100 : Math.min(100, (used / limit) * 100);
  return (
    <div>
      <Stat name="Stored files" value={`${formatSize(used)} of ${formatSize(limit)}`} />
      <Progress value={share} color={share > 90 ? 'red' : 'blue'} mt={4} aria-label="Used storage" />
    </div>
  );
}

function Stat({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <Text size="xl" fw={700}>
        {value}
      </Text>
      <Dimmed size="xs">{name}</Dimmed>
    </div>
  );
}

/** Returns a function that names API keys. Keys of other members keep their id. */
function useKeyNames(): (keyId: string | null) => string {
  const { client } = useScope();
  const { data: keys } = useQuery({
    queryKey: ['keys'],
    queryFn: ({ signal }) => Array.fromAsync(client.keys.all({}, { signal })),
  });
  return (keyId) => {
    if (keyId === null) return 'No key (signed-in users)';
    const key = keys?.find(({ id }) => id === keyId);
    return key ? `${key.name} (${key.prefix}…)` : keyId;
  };
}
