import type { ByteRange } from '@chorus/assets';

/**
 * What a request asks for of so many bytes (RFC 9110, section 14): a part; all of them, where it asks for several parts or can't be read; or what can't be given.
 *
 * @param ifRange the part is wanted only of this version; of another one all is
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

/** Whether a client has this version already, by its `If-None-Match`. */
export function hasVersion(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((given) => given.trim().replace(/^W\//, '') === etag);
}
