import type { Execution } from '@chorus/client';

type WaitingFor = NonNullable<Execution['waiting_for']>;

const REASONS: Readonly<Record<WaitingFor['reason'], string>> = {
  busy: 'all its calls are in use',
  slow_down: 'rate limit',
  away: 'it does not answer',
  key: 'it refused the key',
  credit: 'no credit is left',
};

/** Returns `waiting for openai until 14:32 (rate limit)`. */
export function describeProviderWait({ provider, reason, until }: WaitingFor): string {
  const time = until === null ? '' : ` until ${timeOf(new Date(until))}`;
  return `waiting for ${provider}${time} (${REASONS[reason] ?? reason})`;
}

/** Shows seconds for times that are near. */
function timeOf(until: Date): string {
  const isNear = until.getTime() - Date.now() < 120_000;
  return until.toTimeString().slice(0, isNear ? 8 : 5);
}
