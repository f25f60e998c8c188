import { type LimitName, PLATFORM_LIMITS, type StoredLimits } from '@chorus/contract';

/** The part of the configuration with the limits of users and scopes. */
export interface LimitConfig {
  readonly fixedLimits: readonly LimitName[];
  readonly perUser: Record<'streams' | 'waits' | 'sockets' | 'uploads' | 'executions' | 'batches', number>;
  readonly rateLimits: Record<'reads' | 'writes' | 'executions' | 'anonymous', number>;
  readonly assets: { readonly quotaBytes: number | null };
}

/** Returns the limits of a configuration. */
export function limitsOf({ perUser, rateLimits, assets }: LimitConfig): Record<LimitName, number | null> {
  return {
    executions: perUser.executions,
    batches: perUser.batches,
    event_streams: perUser.streams,
    waiting_requests: perUser.waits,
    voice_sockets: perUser.sockets,
    uploads: perUser.uploads,
    reads: rateLimits.reads,
    writes: rateLimits.writes,
    new_executions: rateLimits.executions,
    storage: assets.quotaBytes,
  };
}

/**
 * Fills in a configuration from limits set by operators. The environment takes precedence. The limits change while the
 * process runs, so read the fields on each use instead of copying them.
 */
export function withLimits<C extends LimitConfig>(config: C, stored: () => StoredLimits): C {
  const fixed = new Set(config.fixedLimits);
  const own = limitsOf(config);
  const of = (name: LimitName) => (fixed.has(name) ? own[name] : (stored()[name] ?? PLATFORM_LIMITS[name].standard));
  const number = (name: LimitName) => of(name) ?? Number.MAX_SAFE_INTEGER;
  return {
    ...config,
    perUser: {
      ...config.perUser,
      get executions() {
        return number('executions');
      },
      get batches() {
        return number('batches');
      },
      get streams() {
        return number('event_streams');
      },
      get waits() {
        return number('waiting_requests');
      },
      get sockets() {
        return number('voice_sockets');
      },
      get uploads() {
        return number('uploads');
      },
    },
    rateLimits: {
      ...config.rateLimits,
      get reads() {
        return number('reads');
      },
      get writes() {
        return number('writes');
      },
      get executions() {
        return number('new_executions');
      },
    },
    assets: {
      ...config.assets,
      get quotaBytes() {
        return of('storage');
      },
    },
  };
}
