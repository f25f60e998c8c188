import type { Owner } from '@chorus/contract';

/**
 * How many bytes each scope stores: files, and texts of knowledge entries. A count follows its records: whoever adds or removes one leaves a mark
 * until it is done, and `recount` makes good what a process that died left.
 */
export interface StorageRepository {
  /** Derived from the records where it is not known yet. */
  used(owner: Owner): Promise<number>;
  /**
   * Adds the bytes of a record that is about to be stored, or changed, and marks it.
   *
   * @returns false: the scope would then hold more than `limitBytes`
   */
  charge(owner: Owner, id: string, bytes: number, limitBytes: number | null): Promise<boolean>;
  /** The record is stored: takes the mark away. */
  settle(owner: Owner, id: string): Promise<void>;
  /** Marks a record of so many bytes that is about to be removed. */
  mark(owner: Owner, id: string, bytes: number): Promise<void>;
  /** Takes the bytes of a marked record off, once, and the mark away. */
  refund(owner: Owner, id: string): Promise<void>;
  /**
   * Derives counts anew where marks are older than `marksBefore`, or that were not looked at since `countedBefore`.
   *
   * @returns how many were wrong
   */
  recount(times: { marksBefore: Date; countedBefore: Date }): Promise<number>;
}
