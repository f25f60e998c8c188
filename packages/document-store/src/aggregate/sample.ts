import { randomInt } from 'node:crypto';
import { locationError } from '../errors.ts';
import { Candidate, type Portions, portionsOf, type Source, sourceOf } from '../plan/scan.ts';
import type { Collection, RecordNumber } from '../storage/collection.ts';
import type { Store } from '../store.ts';
import { getField, isFields } from '../values/fields.ts';
import { nearestDouble } from '../values/numbers.ts';
import { checkHeld, PORTION } from './stage.ts';

/** How many documents a `$sample` wants. */
export function readSampleSize(argument: unknown): number {
  const size = isFields(argument) ? nearestDouble(getField(argument, 'size')) : undefined;
  if (size === undefined)
    throw locationError(28745, 'the $sample stage specification must be an object with a numeric size');
  if (!(size >= 1)) throw locationError(28747, 'size argument to $sample must be a positive number');
  return Math.trunc(size);
}

/** Some documents at random, each as likely as any other. */
export function* sample(source: Source, size: number): Portions {
  const kept: Candidate[] = [];
  let met = 0;
  let bytes = 0;
  for (const portion of portionsOf(source)) {
    for (const candidate of portion) {
      met += 1;
      // In the end each has the same chance; the first ones are moved too, so that the order is random as well.
      const at = Math.floor(Math.random() * met);
      const held = candidate.undecoded();
      if (kept.length < size) {
        kept.push(kept[at] ?? held);
        kept[at] = held;
      } else if (at < size) {
        bytes -= kept[at]?.bytes.length ?? 0;
        kept[at] = held;
      } else continue;
      bytes += held.bytes.length;
    }
    checkHeld(bytes, '$sample');
    yield [];
  }
  yield kept;
}

/** The same of a whole collection, by numbers drawn; undefined where too few numbers are in use, or too many are wanted. */
export function sampleCollection(store: Store, collection: Collection, size: number): Source | undefined {
  const ends = collection.statement(store.engine, `SELECT min(record), max(record) FROM ${collection.table}`).get();
  const [lowest, highest] = ends as unknown as [RecordNumber, RecordNumber];
  const span = highest - lowest + 1;
  if (size > collection.count / 20 || collection.count < span / 4) return undefined;
  return sourceOf(draw(collection, size, lowest, span));
}

function* draw(collection: Collection, size: number, lowest: RecordNumber, span: number): Portions {
  const drawn = new Set<RecordNumber>();
  let left = size;
  // Others may remove documents meanwhile: then there are not enough.
  while (left > 0 && drawn.size < span / 2 && !collection.dropped) {
    const portion: Candidate[] = [];
    for (let draws = 0; draws < PORTION && portion.length < left; draws += 1) {
      const record = lowest + randomInt(span);
      const bytes = drawn.has(record) ? undefined : collection.read(record);
      if (bytes) portion.push(new Candidate(record, bytes));
      drawn.add(record);
    }
    left -= portion.length;
    yield portion;
  }
}
