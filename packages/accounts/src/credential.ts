import type { Permission, User } from '@chorus/contract';
import type { RateSubject } from './rate-limits.ts';

export interface Credential {
  readonly user: User;
  /** The login an access token belongs to; null for an API key. */
  readonly login_id: string | null;
  readonly key: KeyLimits | null;
}

export interface KeyLimits {
  readonly id: string;
  readonly permissions: readonly Permission[];
  readonly workspace_id: string | null;
  /** Requests per minute; null: the user's limits apply. */
  readonly rate_limit: number | null;
}

/** Returns the rate-limit bucket: the API key's with its own limit, or one shared by all tokens of the user. */
export function rateSubjectOf({ user, key }: Credential): RateSubject {
  return key === null ? { id: user.id, limit: null } : { id: key.id, limit: key.rate_limit };
}
