import type { StoredLimits } from '@chorus/contract';
import { expect, test } from 'vitest';
import { limitsOf, withLimits } from './follow-limits.ts';

test('uses stored limits and their changes, unless the environment sets them', () => {
  const environment = {
    port: 1,
    fixedLimits: ['uploads'] as const,
    perUser: { streams: 100, waits: 500, sockets: 20, uploads: 3, executions: 2_000, batches: 100 },
    rateLimits: { reads: 6_000, writes: 1_200, executions: 6_000, anonymous: 300 },
    assets: { quotaBytes: null },
  };
  let stored: StoredLimits = {};
  const config = withLimits(environment, () => stored);
  expect(limitsOf(config)).toEqual(limitsOf(environment));
  expect([config.port, config.rateLimits.anonymous]).toEqual([1, 300]);
  stored = { uploads: 9, executions: 5, new_executions: 7, storage: 1_000 };
  const changed = { executions: 5, new_executions: 7, storage: 1_000 };
  expect(limitsOf(config)).toEqual({ ...limitsOf(environment), ...changed });
});
