import { ChorusError } from '@chorus/client';

export interface ErrorWords {
  title: string;
  /** What can be done; empty: nothing more is known. */
  advice: string;
  /** Finds the request in the server's logs. */
  reference: string | null;
}

const ADVICE: Readonly<Record<string, { title: string; advice: string }>> = {
  connection_lost: {
    title: 'The server cannot be reached',
    advice: 'Check the network, or whether the platform runs. What runs there goes on meanwhile.',
  },
  request_timeout: { title: 'The server did not answer in time', advice: 'It may be busy: try again in a moment.' },
  session_locked: { title: 'An answer is still being written', advice: 'Stop it, or wait for its end.' },
  overloaded: { title: 'Too much is waiting', advice: 'The workers are behind: try again in a moment.' },
  rate_limited: { title: 'Too many requests', advice: 'Wait a moment, then try again.' },
  limit_reached: { title: 'Limit reached', advice: 'The message says what to close or delete.' },
  role_forbidden: { title: 'You may not do that here', advice: 'Ask an admin of the workspace.' },
  not_found: {
    title: 'It is not here (any more)',
    advice: 'It may have been deleted, or belong to another workspace.',
  },
};

/** How browsers, and what fetches the parts of the console, tell that one did not come. */
const PART_MISSING = /dynamically imported module|importing a module script|preload css/i;

/** Where something is wrong, as a form calls it and not the request. */
const withoutBody = (words: string) => words.replace(/^body\./, '');

/** What a person is told of an error. */
export function describeError(error: unknown): ErrorWords {
  if (!(error instanceof ChorusError)) {
    const advice = error instanceof Error ? error.message : '';
    if (PART_MISSING.test(advice))
      return {
        title: 'This part of the console could not be fetched',
        advice:
          'Check the network, or whether the platform runs. After an upgrade of it the page must be loaded again.',
        reference: null,
      };
    return { title: 'Something went wrong', advice, reference: null };
  }
  const reference = error.status >= 500 ? error.requestId : null;
  const known = ADVICE[error.code];
  if (known) return { ...known, reference };
  // The message tells the first of them.
  const others = error.details.filter(({ message }) => !error.message.includes(message));
  const details = others.map(({ path, message }) => `${withoutBody(path)}: ${message}`);
  return { title: withoutBody(error.message), advice: details.join(' · '), reference };
}
