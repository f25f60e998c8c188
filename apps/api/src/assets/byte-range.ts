import type { ByteRange } from '@chorus/assets';

/**
 * Returns the byte range to send (RFC 9110, section 14). Several or malformed ranges count as `all`.
 * @param ifRange the version that the range applies to; other versions are sent whole
 */
export function requestedRange(
  { range, ifRange }: { range: string | undefined; ifRange: string | undefined },
  sizeBytes: number,
  etag: string,
): ByteRange | 'all' | 'unsatisfiable' {
  if (range === undefined || (ifRange !== undefined && ifRange !== etag)) return 'all';
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(range) ?? [];
  if (first === '' && last === '') return 'all';
  if (first === '') {
    const length = Math.min(Number(last), sizeBytes);
    return length === 0 ? 'unsatisfiable' : { start: sizeBytes - length, end: sizeBytes - 1 };
  }
  const start = Number(first);
  const end = last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  if (last !== '' && Number(last) < start) return 'all';
  return start >= sizeBytes ? 'unsatisfiable' : { start, end };
}

/** Returns whether `If-None-Match` names this version. */
export function hasVersion(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((given) => given.trim().replace(/^W\//, '') === etag);
}
