import { randomBytes } from 'node:crypto';
import type { StoredOwner } from '../collection.ts';

/** The kinds of records with a full-text index. */
export const TEXT_KINDS = ['archive', 'sessions', 'messages'] as const;
export type TextKind = (typeof TEXT_KINDS)[number];

/** Separates the parts of a mark, and does not occur in them. */
const SEPARATOR = '|';

/** Sorts after every character of a mark. */
const LAST = '~';

/** Marks a record whose current text is not in the full-text index. */
export interface StoredMark {
  unindexed?: string;
}

let lastTime = 0;
let countInTime = 0;

/** Returns a unique mark. Marks of one process sort by creation, even within a millisecond. */
export function newMark({ scope_key, user_id }: StoredOwner): Required<StoredMark> {
  const now = Date.now();
  countInTime = now === lastTime ? countInTime + 1 : 0;
  lastTime = now;
  const order = now.toString(36).padStart(9, '0') + countInTime.toString(36).padStart(3, '0');
  return { unindexed: [scope_key, user_id, `${order}${randomBytes(6).toString('hex')}`].join(SEPARATOR) };
}

/** Matches the marks of a scope, or of one user in it. */
export function marksOf({ scope_key, user_id }: StoredOwner, ofMaker: boolean): { $gt: string; $lt: string } {
  const prefix = [scope_key, ...(ofMaker ? [user_id] : []), ''].join(SEPARATOR);
  return { $gt: prefix, $lt: prefix + LAST };
}
