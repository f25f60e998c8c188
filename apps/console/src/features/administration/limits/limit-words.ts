import type { PlatformLimits } from '@chorus/client';
import { formatSize } from '../../../components/format.tsx';
import { formatNumber, t } from '../../../i18n/i18n.ts';

export type Limit = PlatformLimits['data'][number];

export const LIMITS_KEY = ['administration', 'limits'];

const NAMES = {
  executions: () => t('limits.executions'),
  batches: () => t('limits.batches'),
  event_streams: () => t('limits.event_streams'),
  waiting_requests: () => t('limits.waiting_requests'),
  voice_sockets: () => t('limits.voice_sockets'),
  uploads: () => t('limits.uploads'),
  reads: () => t('limits.reads'),
  writes: () => t('limits.writes'),
  new_executions: () => t('limits.new_executions'),
  storage: () => t('limits.storage'),
} as const satisfies Record<Limit['name'], () => string>;

export const limitName = ({ name }: Limit): string => NAMES[name]();

/** Writes a value of a limit, such as its default. */
export function limitValue({ unit }: Limit, value: number | null): string {
  if (value === null) return t('limits.noLimit');
  if (unit === 'bytes') return formatSize(value);
  const number = formatNumber(value);
  return unit === 'per_minute' ? t('limits.perMinute', { value: number }) : number;
}
