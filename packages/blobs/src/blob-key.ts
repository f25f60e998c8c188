import type { ByteRange } from './blobs.ts';

const MAX_LENGTH = 200;
const SEGMENT = '[a-z0-9][a-z0-9._-]*';
const KEY = new RegExp(`^${SEGMENT}(?:/${SEGMENT})*$`);
const PREFIX = new RegExp(`^(?:${SEGMENT}/)*(?:${SEGMENT})?$`);

/** Returns whether a text is a key. Its characters are safe in every S3 and file system, even case-insensitive ones. */
export const isKey = (text: string): boolean => text.length <= MAX_LENGTH && KEY.test(text);

export function assertKey(key: string): void {
  if (!isKey(key)) throw new TypeError(`not a blob key: ${shown(key)}`);
}

export function assertPrefix(prefix: string): void {
  if (prefix.length > MAX_LENGTH || !PREFIX.test(prefix))
    throw new TypeError(`not a prefix of blob keys: ${shown(prefix)}`);
}

const shown = (text: string) => JSON.stringify(text.slice(0, MAX_LENGTH));

export function assertRange({ start, end = start }: ByteRange): void {
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start)
    throw new RangeError(`not a range of bytes: ${start}-${end}`);
}

/** Limits a range to the size of a blob. @throws {RangeError} if no byte is left */
export function clampRange(range: ByteRange, sizeBytes: number): { start: number; end: number } {
  assertRange(range);
  if (range.start >= sizeBytes) throw new RangeError(`the blob ends before byte ${range.start}`);
  return { start: range.start, end: Math.min(range.end ?? sizeBytes - 1, sizeBytes - 1) };
}

const REMOVALS_AT_ONCE = 16;

export async function removeEach(keys: readonly string[], remove: (key: string) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  const left = keys.values();
  const removeNext = async () => {
    for (const key of left) await remove(key).catch((error) => failures.push(error));
  };
  await Promise.all(Array.from({ length: REMOVALS_AT_ONCE }, removeNext));
  if (failures.length > 0) throw failures[0];
}
