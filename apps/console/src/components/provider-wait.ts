import type { Execution } from '@chorus/client';
import { formatDate, t } from '../i18n/i18n.ts';
import { providerLabel } from './provider-label.ts';

type WaitingFor = NonNullable<Execution['waiting_for']>;

/** Times that are nearer are shown with seconds. */
const NEAR_MS = 120_000;

/** Returns `Waiting for OpenAI until 14:32 (rate limit)`. */
export function waitText({ provider, reason, until }: WaitingFor): string {
  const about = { provider: providerLabel(provider), reason: t('components.waitReason', { reason }) };
  const left = until === null ? 0 : Date.parse(until) - Date.now();
  if (until === null || left <= 0) return t('components.waitingFor', about);
  const time = formatDate(new Date(until), { timeStyle: left < NEAR_MS ? 'medium' : 'short' });
  return t('components.waitingUntil', { ...about, time });
}

/** Returns `Waiting for OpenAI…`. */
export const shortWaitText = ({ provider }: WaitingFor): string =>
  t('components.waitingShort', { provider: providerLabel(provider) });
