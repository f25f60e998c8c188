import { type Owner, scopeKey } from '@chorus/contract';

/** How an owner lies in a document. */
export interface StoredOwner {
  scope_key: string;
  user_id: string;
}

export function storedOwner(owner: Owner): StoredOwner {
  return { scope_key: scopeKey(owner), user_id: owner.user_id };
}

const WORKSPACE = 'workspace:';

export function ownerOf(stored: StoredOwner): Owner {
  return stored.scope_key.startsWith(WORKSPACE)
    ? { scope: 'workspace', user_id: stored.user_id, workspace_id: stored.scope_key.slice(WORKSPACE.length) }
    : { scope: 'personal', user_id: stored.user_id, workspace_id: null };
}

/** Finds one document of a scope. An id that is not a string would be read as a query's operators. */
export function inScope(owner: Owner, id: string): { _id: string; scope_key: string } {
  return { _id: requireText(id), scope_key: scopeKey(owner) };
}

/** Finds one document of a maker's own. */
export function ofMaker(owner: Owner, id: string): { _id: string } & StoredOwner {
  return { _id: requireText(id), ...storedOwner(owner) };
}

export function requireText(value: string): string {
  if (typeof value !== 'string') throw new TypeError('a string was expected');
  return value;
}

/** The caller's pairs as a list: as field names they could begin with `$` or hold dots, and would then mean something else. */
export type StoredPairs = { name: string; value: string }[];

export function storedPairs(pairs: Record<string, string>): StoredPairs {
  return Object.entries(pairs).map(([name, value]) => ({ name, value }));
}

export function pairsOf(stored: StoredPairs): Record<string, string> {
  return Object.fromEntries(stored.map(({ name, value }) => [name, value]));
}
