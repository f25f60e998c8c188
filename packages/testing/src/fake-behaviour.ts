/**
 * How the fake provider answers one request. A model's name spells it: its parts, joined by `-`, are read from left to
 * right, and what stands after `@` is ignored (it makes a name of its own for one test).
 *
 * | part | meaning |
 * |---|---|
 * | `words-200` | answer 200 words `w1 w2 …` (20 where nothing is said) |
 * | `flood-2000` | 2,000 words as fast as the socket takes them, from buffers made before |
 * | `echo` | answer the last user message, word by word |
 * | `lastline` | answer the last line of the last user message |
 * | `seed-7` | the words are `w7.1 w7.2 …` |
 * | `delay-5` | wait 5 ms between words |
 * | `start-300` | wait 300 ms before anything is sent |
 * | `ping-50` | until the first word a comment every 50 ms |
 * | `cut-after-10` | destroy the socket after 10 words |
 * | `error-after-10` | an error event in the stream after 10 words |
 * | `filter-after-10` | finish as `content_filter` after 10 words |
 * | `hang`, `hang-after-5` | never answer; fall silent after 5 words |
 * | `fail-500` | answer with this HTTP status |
 * | `retry-after-1` | with this `Retry-After` (seconds), or `retry-date-1`: as an HTTP date |
 * | `once` | fail, cut or error only the first time that this name is asked for |
 * | `context-too-long`, `refuse`, `quota`, `missing` | OpenAI's error of that kind |
 */
export interface FakeBehaviour {
  kind: 'words' | 'echo' | 'lastline' | 'fail';
  words: number;
  seed: number | null;
  flood: boolean;
  delayMs: number;
  startMs: number;
  pingMs: number;
  /** What happens after `after` words instead of a normal end; null: nothing. */
  ending: 'cut' | 'error' | 'filter' | 'hang' | null;
  after: number;
  once: boolean;
  status: number;
  retryAfter: string | null;
  error: { message: string; type: string; code: string | null };
}

const FAILURES: Record<string, { status: number; message: string; type: string; code: string | null }> = {
  'context-too-long': {
    status: 400,
    message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
  },
  refuse: {
    status: 400,
    message: 'Your request was rejected as a result of our safety system.',
    type: 'invalid_request_error',
    code: 'content_policy_violation',
  },
  quota: {
    status: 429,
    message: 'You exceeded your current quota, please check your plan and billing details.',
    type: 'insufficient_quota',
    code: 'insufficient_quota',
  },
  missing: {
    status: 404,
    message: 'The model does not exist or you do not have access to it.',
    type: 'invalid_request_error',
    code: 'model_not_found',
  },
};

function failureOf(status: number): FakeBehaviour['error'] {
  // As OpenAI does, the 401 repeats a part of the key: what is made of it must not.
  if (status === 401)
    return {
      message:
        'Incorrect API key provided: sk-fake-secret-0123456789. Find yours at https://user:pass@example.com/keys.',
      type: 'invalid_request_error',
      code: 'invalid_api_key',
    };
  if (status === 429)
    return { message: 'Rate limit reached for requests.', type: 'requests', code: 'rate_limit_exceeded' };
  if (status >= 500) return { message: 'The server had an error.', type: 'server_error', code: null };
  return { message: `The request was answered with ${status}.`, type: 'invalid_request_error', code: null };
}

const PARTS =
  /^(context-too-long|cut-after-\d+|error-after-\d+|filter-after-\d+|hang-after-\d+|hang|retry-after-\d+|retry-date-\d+|fail-\d{3}|words-\d+|flood-\d+|seed-\d+|delay-\d+|start-\d+|ping-\d+|echo|lastline|once|refuse|quota|missing)(?:-|$)/;

/** Reads the behaviour out of a model's name; a name that says nothing answers 20 words. */
export function behaviourOf(model: string): FakeBehaviour {
  const behaviour: FakeBehaviour = {
    kind: 'words',
    words: 20,
    seed: null,
    flood: false,
    delayMs: 0,
    startMs: 0,
    pingMs: 0,
    ending: null,
    after: 0,
    once: false,
    status: 200,
    retryAfter: null,
    error: failureOf(500),
  };
  let rest = model.split('@')[0] ?? '';
  let wordsGiven = false;
  for (let match = PARTS.exec(rest); match !== null; match = PARTS.exec(rest)) {
    const part = match[1] ?? '';
    rest = rest.slice(part.length + 1);
    const failure = FAILURES[part];
    if (failure !== undefined) {
      Object.assign(behaviour, { kind: 'fail', status: failure.status, error: failure });
      continue;
    }
    const number = Number(/\d+$/.exec(part)?.[0] ?? 0);
    const name = part.replace(/-?\d+$/, '');
    if (name === 'words' || name === 'flood') {
      behaviour.words = number;
      behaviour.flood = name === 'flood';
      wordsGiven = true;
    } else if (name === 'echo' || name === 'lastline') behaviour.kind = name;
    else if (name === 'seed') behaviour.seed = number;
    else if (name === 'delay') behaviour.delayMs = number;
    else if (name === 'start') behaviour.startMs = number;
    else if (name === 'ping') behaviour.pingMs = number;
    else if (name === 'once') behaviour.once = true;
    else if (name === 'retry-after') behaviour.retryAfter = String(number);
    else if (name === 'retry-date') behaviour.retryAfter = new Date(Date.now() + number * 1000).toUTCString();
    else if (name === 'fail') Object.assign(behaviour, { kind: 'fail', status: number, error: failureOf(number) });
    else {
      behaviour.ending = name.replace('-after', '') as FakeBehaviour['ending'];
      behaviour.after = number;
      if (!wordsGiven) behaviour.words = Math.max(behaviour.words, number + 10);
    }
  }
  return behaviour;
}

/** The pieces of an answer, each a word with the space before it, so that joining them gives the text. */
export function piecesOf(behaviour: FakeBehaviour, lastUserText: string): string[] {
  if (behaviour.kind === 'echo') return wordsOf(lastUserText);
  if (behaviour.kind === 'lastline') return wordsOf(lastUserText.slice(lastUserText.lastIndexOf('\n') + 1));
  const prefix = behaviour.seed === null ? 'w' : `w${behaviour.seed}.`;
  return Array.from({ length: behaviour.words }, (_, index) => `${index === 0 ? '' : ' '}${prefix}${index + 1}`);
}

const wordsOf = (text: string): string[] => text.match(/\s*\S+|\s+$/g) ?? [];

/**
 * The text that a model of the fake sends before its end, its cut, its error or its silence; for `once` what it sends from the
 * second time on.
 * @param lastUserText what `echo` repeats
 */
export function expectedText(model: string, lastUserText = ''): string {
  const behaviour = behaviourOf(model);
  if (behaviour.kind === 'fail' && !behaviour.once) return '';
  const pieces = piecesOf(behaviour, lastUserText);
  const cut = behaviour.ending !== null && !behaviour.once;
  return (cut ? pieces.slice(0, behaviour.after) : pieces).join('');
}
