import { ChorusError } from '@chorus/client';

interface ErrorDescription {
  title: string;
  /** Suggests a solution; empty if none is known. */
  advice: string;
  /** Finds the request in the server logs. */
  requestId: string | null;
}

const KNOWN_ERRORS: Readonly<Record<string, { title: string; advice: string }>> = {
  connection_lost: {
    title: 'The server cannot be reached',
    advice: 'Check your network connection, and that the platform is running. Work on the server continues.',
  },
  request_timeout: { title: 'The server did not answer in time', advice: 'It may be busy. Try again in a moment.' },
  session_locked: { title: 'An answer is still being written', advice: 'Stop it, or wait until it is finished.' },
  overloaded: { title: 'The queue is full', advice: 'The workers are busy. Try again in a moment.' },
  rate_limited: { title: 'Too many requests', advice: 'Wait a moment, then try again.' },
  limit_reached: { title: 'Limit reached', advice: 'The message says what to close or delete.' },
  role_forbidden: { title: 'You do not have permission to do this', advice: 'Ask an admin of this workspace.' },
  not_found: {
    title: 'Not found',
    advice: 'It may have been deleted, or it belongs to another workspace.',
  },
};

/** Matches the errors that browsers and Vite throw if a chunk cannot be loaded. */
const CHUNK_LOAD_FAILED = /dynamically imported module|importing a module script|preload css/i;

/** Names a field as forms do, without the request's `body.`. */
const stripBodyPrefix = (words: string) => words.replace(/^body\./, '');

export interface FormErrors<Field extends string> {
  at: Partial<Record<Field, string>>;
  /** Shown above the fields; null if each mistake is shown at its field. */
  rest: Error | null;
}

/** Sorts the mistakes of a request by the fields of its form. */
export function formErrors<Field extends string>(error: Error | null, fields: readonly Field[]): FormErrors<Field> {
  const at: Partial<Record<Field, string>> = {};
  const details = error instanceof ChorusError ? error.details : [];
  const unplaced = details.filter(({ path, message }) => {
    const field = fields.find((name) => path === `body.${name}` || path.startsWith(`body.${name}.`));
    if (field !== undefined) at[field] ??= toSentence(message);
    return field === undefined;
  });
  return { at, rest: details.length > 0 && unplaced.length === 0 ? null : error };
}

/** Turns `must be at least 8` into a sentence. */
function toSentence(message: string): string {
  const plain = message.replaceAll('`', '').trim();
  return plain.charAt(0).toUpperCase() + plain.slice(1) + (/[.!?]$/.test(plain) ? '' : '.');
}

export function describeError(error: unknown): ErrorDescription {
  if (!(error instanceof ChorusError)) {
    const advice = error instanceof Error ? error.message : '';
    if (CHUNK_LOAD_FAILED.test(advice))
      return {
        title: 'This page could not be loaded',
        advice: 'Check your network connection, and that the platform is running. After an upgrade, reload the page.',
        requestId: null,
      };
    return { title: 'Something went wrong', advice, requestId: null };
  }
  const requestId = error.status >= 500 ? error.requestId : null;
  const known = KNOWN_ERRORS[error.code];
  if (known) return { ...known, requestId };
  // The message already includes the first one.
  const others = error.details.filter(({ message }) => !error.message.includes(message));
  const details = others.map(({ path, message }) => `${stripBodyPrefix(path)}: ${message}`);
  return { title: stripBodyPrefix(error.message), advice: details.join(' · '), requestId };
}
