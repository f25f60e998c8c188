import type { ChorusError } from '@chorus/client';

/** What a command's exit code says. */
export const EXIT = {
  done: 0,
  /** The work failed, or some of it. */
  failed: 1,
  usage: 2,
  /** Nobody is logged in, the login has ended, or may not do this. */
  notAllowed: 3,
  unreachable: 4,
  /** The server refuses the request. */
  refused: 5,
  /** The server has too much to do. */
  busy: 6,
  interrupted: 130,
} as const;

export const EXIT_CODES_HELP =
  'Exit codes: 0 done, 1 failed, 2 wrong arguments, 3 not logged in or not allowed, 4 unreachable, 5 refused, 6 overloaded, 130 interrupted, 141 nobody reads.';

const UNREACHABLE = ['connection_lost', 'request_timeout', 'unexpected_answer'];

export function exitCodeOf({ code, status }: ChorusError): number {
  if (code === 'logged_out' || status === 401 || status === 403) return EXIT.notAllowed;
  if (UNREACHABLE.includes(code)) return EXIT.unreachable;
  if (status === 429 || status === 503) return EXIT.busy;
  return status >= 500 ? EXIT.failed : EXIT.refused;
}

/** Codes of a login that did not succeed, whose message says why. */
const REFUSED_LOGINS = ['invalid_credentials', 'invalid_totp_code', 'totp_required'];

/** How a connection, or what the server says, reads on the screen. */
export function describeError({ code, status, message, details, requestId }: ChorusError): string {
  if (status === 401 && !REFUSED_LOGINS.includes(code))
    return 'The login has ended, or the key is not good (any more): npx chorus login, or set CHORUS_API_KEY.';
  const more = details.filter(({ message: detail }) => !message.includes(detail));
  const lines = more.map(({ path, message: detail }) => `\n  ${path}: ${detail}`);
  const where = requestId !== null && code === 'internal_error' ? ` (request ${requestId})` : '';
  return `${message}${where}${lines.join('')}`;
}
