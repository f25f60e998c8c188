import { SegmentedControl, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Loading, QueryView } from '../../../components/placeholders.tsx';
import { Dimmed, SectionTitle } from '../../../components/text.tsx';
import { t, withMessages } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { UserUsageTable } from './user-usage-table.tsx';

const LimitsSection = lazy(withMessages(['limits'], () => import('../limits/limits-section.tsx')));

const DAY_MS = 86_400_000;

/** Usage of all users, and the limits that apply to them. */
export default function UsagePanel() {
  const { client } = useScope();
  const [days, setDays] = useState(7);
  const usage = useQuery({
    queryKey: ['administration', 'usage', days],
    queryFn: ({ signal }) => {
      const from = new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10);
      return client.users.usage({ from }, { signal });
    },
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
        <SegmentedControl
          mb="md"
          data={[
            { value: '7', label: t('components.dayCount', { count: 7 }) },
            { value: '30', label: t('components.dayCount', { count: 30 }) },
          ]}
          value={String(days)}
          onChange={(value) => setDays(Number(value))}
          aria-label={t('components.period')}
        />
        <QueryView query={usage}>{(report) => <UserUsageTable report={report} users={users.data ?? []} />}</QueryView>
      </section>
      <Suspense fallback={<Loading />}>
        <LimitsSection />
      </Suspense>
    </Stack>
  );
}
