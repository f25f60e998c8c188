interface LimitSpec {
  variable: string;
  unit: 'at_once' | 'per_minute' | 'bytes';
  per: 'user' | 'credential' | 'scope';
  min: number;
  max: number;
  /** Null: no limit. */
  standard: number | null;
}

const ofUser = (variable: string, max: number, standard: number) =>
  ({ variable, unit: 'at_once', per: 'user', min: 1, max, standard }) satisfies LimitSpec;
const ofMinute = (variable: string, standard: number) =>
  ({ variable, unit: 'per_minute', per: 'credential', min: 1, max: 100_000_000, standard }) satisfies LimitSpec;

/** The limits of users and scopes. The environment overrides those set by operators. */
export const PLATFORM_LIMITS = {
  executions: ofUser('EXECUTIONS_PER_USER', 1_000_000, 2_000),
  batches: ofUser('BATCHES_PER_USER', 100_000, 100),
  event_streams: ofUser('EVENT_STREAMS_PER_USER', 100_000, 100),
  waiting_requests: ofUser('WAITING_REQUESTS_PER_USER', 100_000, 500),
  voice_sockets: ofUser('VOICE_SOCKETS_PER_USER', 100_000, 20),
  uploads: ofUser('UPLOADS_PER_USER', 10_000, 20),
  reads: ofMinute('RATE_LIMIT_READS', 6_000),
  writes: ofMinute('RATE_LIMIT_WRITES', 1_200),
  new_executions: ofMinute('RATE_LIMIT_EXECUTIONS', 6_000),
  storage: {
    variable: 'STORAGE_QUOTA_BYTES',
    unit: 'bytes',
    per: 'scope',
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    standard: null,
  },
} as const satisfies Record<string, LimitSpec>;

export type LimitName = keyof typeof PLATFORM_LIMITS;
export const LIMIT_NAMES = Object.keys(PLATFORM_LIMITS) as [LimitName, ...LimitName[]];
