import { randomBytes } from 'node:crypto';
import type { StoredOwner } from './stored-fields.ts';

/** Stands between the parts of a mark; in none of them. */
const BETWEEN = '|';

/** Behind all that a mark can end with. */
const BEHIND_ALL = '~';

/** A field of records whose words are searched: absent once the full-text index has them as they are. */
export interface StoredMark {
  unindexed?: string;
}

let lastTime = 0;
let ofLastTime = 0;

/**
 * Marks a record's words as new to the index. No two are the same: whoever takes one away knows that the words are still those that it stood for.
 * Those that a process makes sort in the order in which it made them, also within a millisecond.
 */
export function newMark({ scope_key, user_id }: StoredOwner): Required<StoredMark> {
  const now = Date.now();
  ofLastTime = now === lastTime ? ofLastTime + 1 : 0;
  lastTime = now;
  const [time, place] = [now.toString(36).padStart(9, '0'), ofLastTime.toString(36).padStart(3, '0')];
  return { unindexed: [scope_key, user_id, `${time}${place}${randomBytes(6).toString('hex')}`].join(BETWEEN) };
}

/** The marks of a scope's records, or of one maker's there. */
export function marksOf({ scope_key, user_id }: StoredOwner, ofMaker: boolean): { $gt: string; $lt: string } {
  const beginning = [scope_key, ...(ofMaker ? [user_id] : []), ''].join(BETWEEN);
  return { $gt: beginning, $lt: beginning + BEHIND_ALL };
}
