import type { ListedUser, UserUsageReport } from '@chorus/client';
import { Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { formatDay } from '../../../components/format.tsx';
import { Loading, QueryView } from '../../../components/placeholders.tsx';
import { Dimmed, SectionTitle } from '../../../components/text.tsx';
import { MeasureControl } from '../../../components/usage-chart/measure-control.tsx';
import { PeriodControl } from '../../../components/usage-chart/period-control.tsx';
import { UsageChart } from '../../../components/usage-chart/usage-chart.tsx';
import { daysBefore, type Measure, measures, stackByDay } from '../../../components/usage-chart/usage-series.ts';
import { t, withMessages } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { UserUsageTable } from './user-usage-table.tsx';

const LimitsSection = lazy(withMessages(['limits'], () => import('../limits/limits-section.tsx')));

/** Usage of all users, and the limits that apply to them. */
export default function UsagePanel() {
  const { client } = useScope();
  const [days, setDays] = useState(30);
  const [measure, setMeasure] = useState<Measure>('executions');
  const usage = useQuery({
    queryKey: ['administration', 'usage', days],
    queryFn: ({ signal }) => client.users.usage({ from: daysBefore(new Date(), days - 1) }, { signal }),
  });
  const users = useQuery({
    queryKey: ['administration', 'users'],
    queryFn: ({ signal }) => Array.fromAsync(client.users.all({ limit: 100 }, { signal })),
  });
  return (
    <Stack gap="xl">
      <section>
        <SectionTitle mb={4}>{t('administration.usageByUser')}</SectionTitle>
        <Dimmed mb="md">{t('administration.usageByUserHint')}</Dimmed>
        <Group mb="md" gap="xs">
          <PeriodControl choices={[7, 30]} days={days} onChange={setDays} />
          <MeasureControl measure={measure} onChange={setMeasure} />
        </Group>
        <QueryView query={usage}>
          {(report) => (
            <Stack>
              <UserUsageChart report={report} users={users.data ?? []} measure={measure} />
              <UserUsageTable report={report} users={users.data ?? []} />
            </Stack>
          )}
        </QueryView>
      </section>
      <Suspense fallback={<Loading />}>
        <LimitsSection />
      </Suspense>
    </Stack>
  );
}

interface UserUsageChartProps {
  report: UserUsageReport;
  users: readonly ListedUser[];
  measure: Measure;
}

function UserUsageChart({ report, users, measure }: UserUsageChartProps) {
  if (report.data.length === 0) return null;
  const emails = new Map(users.map(({ id, email }) => [id, email]));
  return (
    <UsageChart
      label={t('components.byDayFromTo', { from: formatDay(report.from), to: formatDay(report.to) })}
      series={stackByDay(report, measure, ({ user_id: id }) => emails.get(id) ?? id, t('administration.otherUsers'))}
      format={measures.find(({ value }) => value === measure)?.format ?? String}
    />
  );
}
