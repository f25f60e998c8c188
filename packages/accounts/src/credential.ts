import type { Permission, User } from '@chorus/contract';
import type { RateSubject } from './rate-limits.ts';

/** What a credential that was checked stands for. */
export interface Credential {
  readonly user: User;
  /** The login that an access token came from; null for an API key. */
  readonly login_id: string | null;
  /** Null for an access token. */
  readonly key: KeyLimits | null;
}

/** What an API key limits. */
export interface KeyLimits {
  readonly id: string;
  readonly permissions: readonly Permission[];
  readonly workspace_id: string | null;
  /** Requests a minute; null: as its user's. */
  readonly rate_limit: number | null;
}

/** Whose requests are counted together: the API key's, with its own limit, or those of all tokens of the user. */
export function rateSubjectOf({ user, key }: Credential): RateSubject {
  return key === null ? { id: user.id, limit: null } : { id: key.id, limit: key.rate_limit };
}
