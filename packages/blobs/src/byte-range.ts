import type { ByteRange } from './blobs.ts';

/**
 * The bytes of a range that a blob of that size has.
 *
 * @throws {RangeError} where there is none
 */
export function clampRange(range: ByteRange, sizeBytes: number): { start: number; end: number } {
  assertRange(range);
  if (range.start >= sizeBytes) throw new RangeError(`the blob ends before byte ${range.start}`);
  return { start: range.start, end: Math.min(range.end ?? sizeBytes - 1, sizeBytes - 1) };
}

/** Refuses what is no range of any blob. */
export function assertRange({ start, end = start }: ByteRange): void {
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start)
    throw new RangeError(`not a range of bytes: ${start}-${end}`);
}
