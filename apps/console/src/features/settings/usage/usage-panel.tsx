import type { UsageReport } from '@chorus/client';
import { ChartBarIcon } from '@heroicons/react/24/outline';
import { Group, Progress, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Cost } from '../../../components/cost.tsx';
import { formatDay, formatSize } from '../../../components/format.tsx';
import { EmptyState, QueryView } from '../../../components/placeholders.tsx';
import { Dimmed } from '../../../components/text.tsx';
import { MeasureControl } from '../../../components/usage-chart/measure-control.tsx';
import { PeriodControl } from '../../../components/usage-chart/period-control.tsx';
import { UsageChart } from '../../../components/usage-chart/usage-chart.tsx';
import { daysBefore, type Measure, measures, stackByDay } from '../../../components/usage-chart/usage-series.ts';
import { formatNumber, t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { SumTable } from './sum-table.tsx';
import { sumBy } from './usage-sums.ts';

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
        <PeriodControl choices={[7, 30, 90]} days={days} onChange={setDays} />
        <MeasureControl measure={measure} onChange={setMeasure} />
      </Group>
      <QueryView query={usage}>
        {(report) => (
          <>
            <Storage storage={report.storage} />
            {report.total.executions === 0 ? (
              <EmptyState title={t('components.noUsage')} icon={ChartBarIcon}>
                {t('settings.noUsageHint')}
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
  const modelOf = ({ model }: { model: string | null }) => model ?? t('settings.noModel');
  const format = measures.find(({ value }) => value === measure)?.format ?? String;
  return (
    <>
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        <Stat name={t('components.executions')} value={formatNumber(total.executions)} />
        <Stat name={t('settings.inputTokens')} value={formatNumber(total.input_tokens)} />
        <Stat name={t('settings.outputTokens')} value={formatNumber(total.output_tokens)} />
        <Stat
          name={
            total.unpriced_executions > 0
              ? t('settings.costWithoutUnpriced', { count: total.unpriced_executions })
              : t('components.cost')
          }
          value={<Cost usd={total.cost_usd} isEstimated={total.estimated_executions > 0} />}
        />
      </SimpleGrid>
      <UsageChart
        label={t('components.byDayFromTo', { from: formatDay(report.from), to: formatDay(report.to) })}
        series={stackByDay(report, measure, modelOf, t('components.otherModels'))}
        format={format}
      />
      <SumTable title="settings.byModel" of="common.model" sums={sumBy(report, modelOf)} />
      <SumTable title="settings.byKey" of="settings.key" sums={sumBy(report, ({ api_key_id: id }) => nameOfKey(id))} />
    </>
  );
}

function Storage({ storage: { used_bytes: used, limit_bytes: limit } }: Pick<UsageReport, 'storage'>) {
  if (limit === null) return <Stat name={t('settings.storedFiles')} value={formatSize(used)} />;
  const share = limit === 0 ? 100 : Math.min(100, (used / limit) * 100);
  return (
    <div>
      <Stat
        name={t('settings.storedFiles')}
        value={t('components.countOfTotal', { count: formatSize(used), total: formatSize(limit) })}
      />
      <Progress value={share} color={share > 90 ? 'red' : 'blue'} mt={4} aria-label={t('settings.usedStorage')} />
    </div>
  );
}

function Stat({ name, value }: { name: string; value: ReactNode }) {
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
    if (keyId === null) return t('settings.noKeySignedIn');
    const key = keys?.find(({ id }) => id === keyId);
    return key ? `${key.name} (${key.prefix}…)` : keyId;
  };
}
