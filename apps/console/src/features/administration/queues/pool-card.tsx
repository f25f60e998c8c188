import { Badge, Group, Text } from '@mantine/core';
import { formatDuration } from '../../../components/format.tsx';
import { Dimmed } from '../../../components/text.tsx';
import { formatNumber, t } from '../../../i18n/i18n.ts';
import { Sparkline } from '../usage/sparkline.tsx';
import { type PoolQueue, poolLabel } from './pools.ts';
import classes from './queues.module.css';

/** Minutes over which the rate is averaged. */
const RATE_MIN = 5;

export function PoolCard({ pool: queue }: { pool: PoolQueue }) {
  const { pool, waiting, delayed, running, failed, workers, places, oldest_waiting_s, finished_by_minute } = queue;
  const label = poolLabel(pool);
  const recent = finished_by_minute.slice(-RATE_MIN);
  const rate = recent.reduce((sum, count) => sum + count, 0) / RATE_MIN;
  return (
    <li className={classes.pool} aria-label={label}>
      <div>
        <Group justify="space-between" gap="xs">
          <Text fw={600}>{label}</Text>
          {workers === 0 && (
            <Badge variant="dot" color="red" tt="none">
              {t('queues.noWorkers')}
            </Badge>
          )}
        </Group>
        <Dimmed size="xs">
          {oldest_waiting_s === null
            ? t('queues.nothingWaits')
            : t('queues.oldestWaits', { time: formatDuration(oldest_waiting_s * 1_000) })}
          {workers > 0 && ` · ${t('queues.capacity', { workers, places })}`}
        </Dimmed>
      </div>
      <dl className={classes.counts}>
        <Count name={t('queues.waiting')} value={waiting} />
        <Count name={t('queues.running')} value={running} />
        <Count name={t('queues.delayed')} hint={t('queues.delayedHint')} value={delayed} />
        <Count name={t('components.failed')} hint={t('queues.failedHint')} value={failed} isBad />
      </dl>
      <div>
        <Sparkline
          isWide
          values={finished_by_minute}
          most={Math.max(...finished_by_minute, 1)}
          label={t('queues.finishedByMinute', { counts: finished_by_minute.join(', ') })}
        />
        <Dimmed size="xs">
          {t('queues.finishedRate', { rate: formatNumber(rate, { maximumFractionDigits: 1 }) })}
        </Dimmed>
      </div>
    </li>
  );
}

interface CountProps {
  name: string;
  hint?: string;
  value: number;
  isBad?: boolean;
}

function Count({ name, hint, value, isBad = false }: CountProps) {
  return (
    <div title={hint}>
      <dt>{name}</dt>
      <dd data-none={value === 0 || undefined} data-bad={(isBad && value > 0) || undefined}>
        {formatNumber(value)}
      </dd>
    </div>
  );
}
