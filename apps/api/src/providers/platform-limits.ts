import { auditForOperators } from '@chorus/accounts';
import {
  type Actor,
  ChorusError,
  LIMIT_NAMES,
  PLATFORM_LIMITS,
  type PlatformLimit,
  type PlatformLimitsPatch,
  type StoredLimits,
} from '@chorus/contract';
import { announceSettings } from '@chorus/events';
import { limitsOf } from '@chorus/executions';
import type { Services } from '../services.ts';

type Parts = Pick<Services, 'accounts' | 'config' | 'database' | 'redis'>;

/** Returns the limits of users and scopes, and where they were set. */
export async function readLimits({ config, database }: Pick<Parts, 'config' | 'database'>): Promise<PlatformLimit[]> {
  return present(config, await database.limits.get());
}

/**
 * Changes limits. Every process uses them within a second.
 *
 * @throws {ChorusError} conflict for a limit of the environment; store_unavailable
 */
export async function changeLimits(
  { accounts, config, database, redis }: Parts,
  actor: Actor,
  patch: PlatformLimitsPatch,
): Promise<PlatformLimit[]> {
  const fixed = config.fixedLimits.find((name) => patch[name] !== undefined);
  if (fixed !== undefined) {
    const { variable } = PLATFORM_LIMITS[fixed];
    throw new ChorusError(
      'conflict',
      `${variable} is set in the environment, which wins. Remove it there and restart, then set the limit here.`,
    );
  }
  await database.limits.patch(patch);
  const details = Object.fromEntries(
    LIMIT_NAMES.flatMap((name) => (name in patch ? [[name, patch[name] ?? null]] : [])),
  );
  const fact = { action: 'limits.changed', target: null, details } as const;
  await auditForOperators({ users: database.users, audit: accounts.audit }, actor, fact);
  await announceSettings(redis, 'limits');
  return present(config, await database.limits.get());
}

function present(config: Parts['config'], stored: StoredLimits): PlatformLimit[] {
  const own = limitsOf(config);
  return LIMIT_NAMES.map((name) => {
    const spec = PLATFORM_LIMITS[name];
    if (config.fixedLimits.includes(name)) return { name, ...spec, value: own[name], source: 'environment' };
    const value = stored[name];
    if (value !== undefined) return { name, ...spec, value, source: 'stored' };
    return { name, ...spec, value: spec.standard, source: 'standard' };
  });
}
