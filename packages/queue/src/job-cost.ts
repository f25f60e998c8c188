import type { ExecutionRecord } from '@chorus/database';

/** What a second of video costs beside an image. */
const SECOND_OF_VIDEO = 4;

/** How much of a pool one job takes, beside others of that pool: turns that its owner passes up for it, at least 1. */
export function costOf({ kind, input }: Pick<ExecutionRecord, 'kind' | 'input'>): number {
  if (kind === 'iris.image') return (Array.isArray(input.prompts) ? input.prompts.length : 1) * count(input.n);
  if (kind === 'iris.video') return Math.ceil(count(input.duration_s) * SECOND_OF_VIDEO);
  return 1;
}

/** The worker checks the input; here it only must not spoil the line. */
function count(value: unknown): number {
  return typeof value === 'number' && value >= 1 && value <= 1_000 ? value : 1;
}
