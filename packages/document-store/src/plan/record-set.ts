import { holdMemory } from '../memory.ts';
import type { RecordNumber } from '../storage/collection.ts';

/** What one number takes in a set. */
const ENTRY_BYTES = 40;
const STEP = 1024;

/** The records that a command has met, accounted for. */
export class RecordSet {
  readonly #records = new Set<RecordNumber>();

  /** True for a record that was not yet in it. */
  add(record: RecordNumber): boolean {
    const before = this.#records.size;
    this.#records.add(record);
    if (this.#records.size === before) return false;
    if (before % STEP === STEP - 1) holdMemory(STEP * ENTRY_BYTES, 'the records that were met');
    return true;
  }
}
