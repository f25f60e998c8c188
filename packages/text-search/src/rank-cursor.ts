import { invalidCursor } from '@chorus/database';

const FORM = /^r(\d{1,5})$/;

/** Whether a cursor is one of a list by rank. */
export const isRankCursor = (cursor: string): boolean => FORM.test(cursor);

/** How many of a ranked list come before a page: what its cursor says. @throws {ChorusError} invalid_request */
export function rankOf(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const [, rank] = FORM.exec(cursor) ?? [];
  if (rank === undefined) throw invalidCursor();
  return Number(rank);
}

export const rankCursor = (rank: number): string => `r${rank}`;
