import type { ChorusError } from '@chorus/client';

export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  notAllowed: 3,
  unreachable: 4,
  refused: 5,
  busy: 6,
  waiting: 7,
  interrupted: 130,
} as const;

export const EXIT_CODES_HELP =
  'Exit codes: 0 success, 1 failure, 2 invalid arguments, 3 not logged in or not allowed, 4 unreachable, 5 refused, 6 overloaded, 7 waiting for approval, 130 interrupted, 141 output closed.';

const UNREACHABLE = ['connection_lost', 'request_timeout', 'unexpected_answer'];

export function exitCodeOf({ code, status }: ChorusError): number {
  if (code === 'logged_out' || status === 401 || status === 403) return EXIT.notAllowed;
  if (UNREACHABLE.includes(code)) return EXIT.unreachable;
  if (status === 429 || status === 503) return EXIT.busy;
  return status >= 500 ? EXIT.failed : EXIT.refused;
}

/** Login errors, whose messages give the reason. */
const REFUSED_LOGINS = ['invalid_credentials', 'invalid_totp_code', 'totp_required'];

/** Formats an error for the terminal. */
export function describeError({ code, status, message, details, requestId }: ChorusError): string {
  if (status === 401 && !REFUSED_LOGINS.includes(code))
    return 'The login has expired, or the key is not valid: run chorus login, or set CHORUS_API_KEY.';
  const more = details.filter(({ message: detail }) => !message.includes(detail));
  const lines = more.map(({ path, message: detail }) => `\n  ${path}: ${detail}`);
  const where = requestId !== null && code === 'internal_error' ? ` (request ${requestId})` : '';
  return `${message}${where}${lines.join('')}`;
}
