import type { AnswerOf } from '@chorus/client';
import { t } from '../../../i18n/i18n.ts';
import type { MessageKey } from '../../../i18n/messages.ts';

export const QUEUES_KEY = ['administration', 'queues'] as const;

export type PoolQueue = AnswerOf<'GET /queues'>['data'][number];
export type PoolName = PoolQueue['pool'];

const LABELS: Readonly<Record<PoolName, MessageKey>> = {
  text: 'queues.poolText',
  media: 'queues.poolMedia',
  vision: 'queues.poolVision',
  knowledge: 'queues.poolKnowledge',
  voice: 'queues.poolVoice',
};

export const pools = Object.keys(LABELS) as PoolName[];

export const poolLabel = (pool: PoolName): string => t(LABELS[pool]);
