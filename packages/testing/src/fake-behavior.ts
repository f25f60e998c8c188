import type { FakePiece } from './fake-pieces.ts';

/**
 * How the fake provider answers one request. The model's name specifies it: its parts, joined by `-`, are read from
 * left to right. A real name may come first (`gpt-5-words-3`). Text after `@` is ignored, and makes a name unique to
 * one test.
 *
 * | part | meaning |
 * |---|---|
 * | `words-200` | answer 200 words `w1 w2 …` (20 by default) |
 * | `flood-2000` | 2,000 words as fast as the socket accepts them, from prepared buffers |
 * | `echo` | answer the last user message, word by word |
 * | `lastline` | answer the last line of the last user message |
 * | `seed-7` | the words are `w7.1 w7.2 …` |
 * | `delay-5` | wait 5 ms between words |
 * | `start-300` | wait 300 ms before sending anything |
 * | `ping-50` | send a comment every 50 ms until the first word |
 * | `cut-after-10` | destroy the socket after 10 words |
 * | `error-after-10` | an error event in the stream after 10 words |
 * | `filter-after-10` | finish as `content_filter` after 10 words |
 * | `hang`, `hang-after-5` | never answer; fall silent after 5 words |
 * | `fail-500` | answer with this HTTP status |
 * | `retry-after-1` | with this `Retry-After` (seconds), or `retry-date-1`: as an HTTP date |
 * | `once` | fail, cut, or error only for the first request with this name |
 * | `context-too-long`, `refuse`, `quota`, `missing` | OpenAI's error of that kind |
 * | `call`, `call-weather` | call the first offered tool; after its result, answer `The result is …` |
 * | `call-two` | call the first two offered tools at once, or the only one twice |
 * | `call-empty` | call the first offered tool with no arguments |
 * | `steps-3` | call in three turns before the answer (with `call…`) |
 * | `think` | reason before anything else: `Let me think …` |
 * | `refuse-politely` | a refusal in the message itself |
 * | `json` | an object that is valid for the requested schema: see `sampleOf` |
 * | `cached-9` | 9 of the input tokens came from the cache |
 * | `unmetered` | report no usage |
 *
 * A model that must call a tool does so with any name, and no model calls a tool that was not offered.
 */
export interface FakeBehavior {
  kind: 'words' | 'echo' | 'lastline' | 'fail' | 'call' | 'refusal' | 'json';
  /** Sent instead of anything above. For scripts: see `say`, `think`, `refuse` and `callTool`. */
  pieces?: FakePiece[];
  /** Number of calls in a turn, and of turns with calls. */
  calls: number;
  steps: number;
  emptyCalls: boolean;
  thinks: boolean;
  cached: number;
  unmetered: boolean;
  words: number;
  seed: number | null;
  flood: boolean;
  delayMs: number;
  startMs: number;
  pingMs: number;
  ending: 'cut' | 'error' | 'filter' | 'hang' | null;
  after: number;
  once: boolean;
  status: number;
  retryAfter: string | null;
  error: { message: string; type: string; code: string | null; param?: string };
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

function failureOf(status: number): FakeBehavior['error'] {
  // Like OpenAI's, the 401 repeats part of the key, which must not leak further.
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
  /^(context-too-long|cut-after-\d+|error-after-\d+|filter-after-\d+|hang-after-\d+|hang|retry-after-\d+|retry-date-\d+|fail-\d{3}|words-\d+|flood-\d+|seed-\d+|delay-\d+|start-\d+|ping-\d+|echo|lastline|once|refuse-politely|refuse|quota|missing|call-weather|call-two|call-empty|call|steps-\d+|think|json|cached-\d+|unmetered)(?:-|$)/;

const FAMILIES = /^(o\d|gpt|claude|gemini|magistral|mistral|qwen|llama|openai\/gpt)/;

/** Parses the behavior from the name of a model. Default: 20 words. */
export function behaviorOf(model: string): FakeBehavior {
  const behavior: FakeBehavior = {
    kind: 'words',
    calls: 1,
    steps: 1,
    emptyCalls: false,
    thinks: false,
    cached: 0,
    unmetered: false,
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
  if (FAMILIES.test(rest)) while (rest !== '' && !PARTS.test(rest)) rest = /^[^-]*-?(.*)$/s.exec(rest)?.[1] ?? '';
  let wordsGiven = false;
  for (let match = PARTS.exec(rest); match !== null; match = PARTS.exec(rest)) {
    const part = match[1] ?? '';
    rest = rest.slice(part.length + 1);
    const failure = FAILURES[part];
    if (failure !== undefined) {
      Object.assign(behavior, { kind: 'fail', status: failure.status, error: failure });
      continue;
    }
    const number = Number(/\d+$/.exec(part)?.[0] ?? 0);
    const name = part.replace(/-?\d+$/, '');
    if (name === 'words' || name === 'flood') {
      behavior.words = number;
      behavior.flood = name === 'flood';
      wordsGiven = true;
    } else if (name === 'echo' || name === 'lastline') behavior.kind = name;
    else if (name.startsWith('call')) {
      behavior.kind = 'call';
      behavior.calls = name === 'call-two' ? 2 : 1;
      behavior.emptyCalls = name === 'call-empty';
    } else if (name === 'steps') behavior.steps = number;
    else if (name === 'think') behavior.thinks = true;
    else if (name === 'json') behavior.kind = 'json';
    else if (name === 'refuse-politely') behavior.kind = 'refusal';
    else if (name === 'cached') behavior.cached = number;
    else if (name === 'unmetered') behavior.unmetered = true;
    else if (name === 'seed') behavior.seed = number;
    else if (name === 'delay') behavior.delayMs = number;
    else if (name === 'start') behavior.startMs = number;
    else if (name === 'ping') behavior.pingMs = number;
    else if (name === 'once') behavior.once = true;
    else if (name === 'retry-after') behavior.retryAfter = String(number);
    else if (name === 'retry-date') behavior.retryAfter = new Date(Date.now() + number * 1000).toUTCString();
    else if (name === 'fail') Object.assign(behavior, { kind: 'fail', status: number, error: failureOf(number) });
    else {
      behavior.ending = name.replace('-after', '') as FakeBehavior['ending'];
      behavior.after = number;
      if (!wordsGiven) behavior.words = Math.max(behavior.words, number + 10);
    }
  }
  return behavior;
}
