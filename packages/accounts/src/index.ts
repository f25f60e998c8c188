export { type Accounts, type AccountsConfig, type AccountsParts, createAccounts, type Stranger } from './accounts.ts';
export type { ApiKeys } from './api-keys.ts';
export { type Credential, type KeyLimits, rateSubjectOf } from './credential.ts';
export type { FirstUser } from './first-user.ts';
export type { Invitations } from './invitations.ts';
export { createRateLimits, type RateClass, type RateLimits, rateLimitHeaders } from './rate-limits.ts';
export type { ResolvedScope, ScopeRequest } from './scopes.ts';
export type { Users } from './users.ts';
export type { Workspaces } from './workspaces.ts';
