export { type Accounts, type AccountsConfig, type AccountsParts, createAccounts } from './accounts.ts';
export type { FirstUser } from './first-user.ts';
export type { ResolvedScope, ScopeRequest } from './scopes.ts';
