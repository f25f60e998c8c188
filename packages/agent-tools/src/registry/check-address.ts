import { ChorusError } from '@chorus/contract';
import type { Outbound } from '@chorus/outbound';

/** @throws {ChorusError} url_not_allowed that names the field */
export function checkAddress(outbound: Pick<Outbound, 'check'>, url: string, path: string): void {
  try {
    outbound.check(url);
  } catch (error) {
    if (!(error instanceof ChorusError)) throw error;
    throw new ChorusError(error.code, error.message, { details: [{ path, message: error.message }], cause: error });
  }
}

/** Whether credentials for one address would reach another server. One host may have those of several owners. */
export function serverChanges(before: string, after: string): boolean {
  const [one, other] = [new URL(before), new URL(after)];
  return one.origin !== other.origin || one.pathname.replace(/\/$/, '') !== other.pathname.replace(/\/$/, '');
}

/** Returns headers with lower-case names. @throws {ChorusError} invalid_request for the same name twice */
export function uniqueHeaders(headers: Record<string, string>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]): [string, string] => [name.toLowerCase(), value]);
  const unique = Object.fromEntries(entries);
  if (Object.keys(unique).length < entries.length)
    throw new ChorusError('invalid_request', 'A header is given twice.', {
      details: [{ path: 'body.headers', message: 'must name each header once' }],
    });
  return unique;
}
