import type { FakeBucket } from './fake-bucket.ts';

export interface FakeBuckets {
  requests: FakeBucket | null;
  tokens: FakeBucket | null;
  /** Requests since the start, for limits per day. */
  accepted: number;
}

type Headers = Record<string, string>;
type WriteHeaders = (buckets: FakeBuckets, nowMs: number) => Headers;

const DAY_S = 86_400;
const MINUTES_PER_DAY = 1_440;

/** Formats a duration as OpenAI and Groq do: `6m0s`, `1.2s`, `120ms`. */
function duration(ms: number): string {
  if (ms < 1_000) return `${Math.ceil(ms)}ms`;
  const minutes = Math.floor(ms / 60_000);
  const seconds = Math.round(ms - minutes * 60_000) / 1_000;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}

const generalHeaders = (name: string, { limit, remaining, resetMs }: FakeBucket): Headers => ({
  [`x-ratelimit-limit-${name}`]: String(limit),
  [`x-ratelimit-remaining-${name}`]: String(remaining),
  [`x-ratelimit-reset-${name}`]: duration(resetMs),
});

const openai: WriteHeaders = ({ requests, tokens }) => ({
  ...(requests && generalHeaders('requests', requests)),
  ...(tokens && generalHeaders('tokens', tokens)),
});

/** Groq reports requests per day, but tokens per minute. */
const groq: WriteHeaders = ({ requests, tokens, accepted }) => {
  const perDay = (requests?.limit ?? 0) * MINUTES_PER_DAY;
  return {
    'x-groq-region': 'fake',
    ...(requests && {
      'x-ratelimit-limit-requests': String(perDay),
      'x-ratelimit-remaining-requests': String(Math.max(0, perDay - accepted)),
      'x-ratelimit-reset-requests': duration((accepted * DAY_S * 1_000) / perDay),
    }),
    ...(tokens && generalHeaders('tokens', tokens)),
  };
};

const anthropic: WriteHeaders = ({ requests, tokens }, nowMs) => {
  const headers = (name: string, { limit, remaining, resetMs }: FakeBucket): Headers => ({
    [`anthropic-ratelimit-${name}-limit`]: String(limit),
    [`anthropic-ratelimit-${name}-remaining`]: String(remaining),
    [`anthropic-ratelimit-${name}-reset`]: new Date(nowMs + resetMs).toISOString().replace(/\.\d+Z$/, 'Z'),
  });
  return { ...(requests && headers('requests', requests)), ...(tokens && headers('tokens', tokens)) };
};

const mistral: WriteHeaders = ({ requests, tokens }) => {
  const headers = (name: string, { limit, remaining }: FakeBucket): Headers => ({
    [`x-ratelimit-limit-${name}-minute`]: String(limit),
    [`x-ratelimit-remaining-${name}-minute`]: String(remaining),
  });
  return { ...(requests && headers('req', requests)), ...(tokens && headers('tokens', tokens)) };
};

const WRITERS: Readonly<Record<string, WriteHeaders>> = { openai, groq, anthropic, mistral };

/** Writes the headers that a provider reports its limits with. The others report none. */
export function limitHeaders(provider: string, buckets: FakeBuckets, nowMs: number): Headers {
  return WRITERS[provider]?.(buckets, nowMs) ?? {};
}
