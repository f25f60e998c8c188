import { expect, test } from 'vitest';
import { exhaustedMs, readLimits } from './limit-headers.ts';
import type { AnswerHeaders } from './retry-after.ts';

const now = Date.parse('2026-11-20T10:00:00Z');
const MINUTE = 60_000;
const DAY = 86_400_000;

const CASES: [name: string, headers: AnswerHeaders, limits: ReturnType<typeof readLimits>][] = [
  ['none', { 'content-type': 'application/json', date: 'Fri, 20 Nov 2026 10:00:00 GMT' }, null],
  [
    'OpenAI',
    {
      'x-ratelimit-limit-requests': '10000',
      'x-ratelimit-remaining-requests': '9999',
      'x-ratelimit-reset-requests': '6ms',
      'x-ratelimit-limit-tokens': '2000000',
      'x-ratelimit-remaining-tokens': '1999000',
      'x-ratelimit-reset-tokens': '30ms',
    },
    {
      requests: { limit: 10_000, remaining: 9_999, resetMs: 6, perMs: MINUTE },
      tokens: { limit: 2_000_000, remaining: 1_999_000, resetMs: 30, perMs: MINUTE },
    },
  ],
  [
    'OpenAI, requests per day',
    {
      'x-ratelimit-limit-requests': '10000',
      'x-ratelimit-remaining-requests': '9999',
      'x-ratelimit-reset-requests': '8.64s',
    },
    { requests: { limit: 10_000, remaining: 9_999, resetMs: 8_640, perMs: DAY } },
  ],
  [
    'a fixed window of a minute',
    {
      'x-ratelimit-limit-requests': '600',
      'x-ratelimit-remaining-requests': '599',
      'x-ratelimit-reset-requests': '59s',
    },
    { requests: { limit: 600, remaining: 599, resetMs: 59_000, perMs: MINUTE } },
  ],
  [
    'Groq, requests per day and tokens per minute',
    {
      'x-groq-region': 'us-east-1',
      'x-ratelimit-limit-requests': '14400',
      'x-ratelimit-limit-tokens': '18000',
      'x-ratelimit-remaining-requests': '14370',
      'x-ratelimit-remaining-tokens': '17997',
      'x-ratelimit-reset-requests': '2m59.56s',
      'x-ratelimit-reset-tokens': '7.66s',
      'retry-after': '2',
    },
    {
      requests: { limit: 14_400, remaining: 14_370, resetMs: 179_560, perMs: DAY },
      tokens: { limit: 18_000, remaining: 17_997, resetMs: 7_660, perMs: MINUTE },
      retryAfterMs: 2_000,
    },
  ],
  [
    'Anthropic',
    {
      'anthropic-ratelimit-requests-limit': '50',
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': '2026-11-20T10:00:30Z',
      'anthropic-ratelimit-tokens-limit': '48000',
      'anthropic-ratelimit-tokens-remaining': '47000',
      'anthropic-ratelimit-tokens-reset': '2026-11-20T10:00:02Z',
      'anthropic-ratelimit-input-tokens-limit': '40000',
      'anthropic-ratelimit-input-tokens-remaining': '40000',
      'anthropic-ratelimit-input-tokens-reset': '2026-11-20T09:59:59Z',
      'anthropic-ratelimit-output-tokens-limit': '8000',
      'anthropic-ratelimit-output-tokens-remaining': '7000',
      'anthropic-ratelimit-output-tokens-reset': '2026-11-20T10:00:08Z',
    },
    {
      requests: { limit: 50, remaining: 0, resetMs: 30_000, perMs: MINUTE },
      tokens: { limit: 48_000, remaining: 47_000, resetMs: 2_000, perMs: MINUTE },
      inputTokens: { limit: 40_000, remaining: 40_000, resetMs: 0, perMs: MINUTE },
      outputTokens: { limit: 8_000, remaining: 7_000, resetMs: 8_000, perMs: MINUTE },
    },
  ],
  [
    'Mistral',
    {
      'x-ratelimit-limit-req-minute': '720',
      'x-ratelimit-remaining-req-minute': '717',
      'x-ratelimit-limit-tokens-minute': '5000000',
      'x-ratelimit-remaining-tokens-minute': '4999911',
      'x-ratelimit-tokens-query-cost': '52',
    },
    {
      requests: { limit: 720, remaining: 717, resetMs: null, perMs: MINUTE },
      tokens: { limit: 5_000_000, remaining: 4_999_911, resetMs: null, perMs: MINUTE },
    },
  ],
  [
    'Mistral before',
    {
      'ratelimitbysize-limit': '500000',
      'ratelimitbysize-remaining': '499972',
      'ratelimitbysize-reset': '40',
      'x-ratelimitbysize-limit-month': '1000000000',
      'x-ratelimitbysize-remaining-month': '999999000',
    },
    { tokens: { limit: 500_000, remaining: 499_972, resetMs: 40_000, perMs: MINUTE } },
  ],
  [
    'OpenRouter',
    { 'x-ratelimit-limit': '20', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now + 12_000) },
    { requests: { limit: 20, remaining: 0, resetMs: 12_000, perMs: MINUTE } },
  ],
  [
    'the draft of the IETF',
    { 'ratelimit-policy': '"burst";q=100;w=10, "day";q=1000;w=86400', ratelimit: '"burst";r=50;t=5, "day";r=3;t=600' },
    { requests: { limit: 1_000, remaining: 3, resetMs: 600_000, perMs: DAY } },
  ],
  [
    'the draft with tokens and bytes',
    {
      'ratelimit-policy': '"a";q=100;qu="tokens";w=60, "b";q=9;qu="content-bytes"',
      ratelimit: '"a";r=50;t=5, "b";r=0;t=5',
    },
    { tokens: { limit: 100, remaining: 50, resetMs: 5_000, perMs: MINUTE } },
  ],
  ['the draft without a policy', { ratelimit: '"default";r=0;t=30' }, { retryAfterMs: 30_000 }],
  [
    'an older draft',
    { ratelimit: 'limit=100, remaining=50, reset=5', 'ratelimit-policy': '100;w=10' },
    { requests: { limit: 100, remaining: 50, resetMs: 5_000, perMs: 10_000 } },
  ],
  [
    'the oldest draft',
    { 'ratelimit-limit': '100, 100;w=60', 'ratelimit-remaining': '50', 'ratelimit-reset': '5' },
    { requests: { limit: 100, remaining: 50, resetMs: 5_000, perMs: MINUTE } },
  ],
  [
    'more left than the limit',
    { 'x-ratelimit-limit-tokens': '10', 'x-ratelimit-remaining-tokens': '11' },
    { tokens: { limit: 10, remaining: 10, resetMs: null, perMs: MINUTE } },
  ],
  [
    'less than nothing left',
    { 'x-ratelimit-limit-tokens': '10', 'x-ratelimit-remaining-tokens': '-4' },
    { tokens: { limit: 10, remaining: 0, resetMs: null, perMs: MINUTE } },
  ],
  ['only a pause', { 'retry-after-ms': '150', 'retry-after': '1' }, { retryAfterMs: 150 }],
];

test.each(CASES)('%s', (_, headers, limits) => {
  expect(readLimits(headers, now)).toEqual(limits);
});

const HOSTILE = ['', '-1', '0', 'NaN', 'Infinity', '1e999', '9'.repeat(10_000), '\u0000', '1;2', '[object Object]'];

test.each(HOSTILE)('ignores or bounds the value %j', (value) => {
  const names = [...new Set(CASES.flatMap(([, headers]) => Object.keys(headers)))];
  for (const values of [value, [value, value], []] as const) {
    const headers = Object.fromEntries(names.map((name) => [name, values as string | string[]]));
    const { retryAfterMs = 0, ...buckets } = readLimits(headers, now) ?? {};
    const numbers = Object.values(buckets).flatMap((one) => [one.limit, one.remaining, one.resetMs ?? 0, one.perMs]);
    for (const number of [retryAfterMs, ...numbers]) {
      expect(number).toBeGreaterThanOrEqual(0);
      expect(number).toBeLessThanOrEqual(1e12);
    }
  }
});

test('a header of many members takes no long time', () => {
  const many = Array.from({ length: 100_000 }, (_, index) => `"p${index}";q=1;r=0;t=1`).join(',');
  const startedAt = performance.now();
  readLimits({ ratelimit: many, 'ratelimit-policy': many, 'ratelimit-limit': many }, now);
  expect(performance.now() - startedAt).toBeLessThan(500);
});

const left = { limit: 9, remaining: 3, resetMs: 50_000, perMs: MINUTE };
const empty = { limit: 9, remaining: 0, resetMs: 7_000, perMs: MINUTE };

test.each<[name: string, limits: Parameters<typeof exhaustedMs>[0], ms: number | null]>([
  ['the exhausted one of two', { requests: left, tokens: empty }, 7_000],
  ['none', { requests: left }, null],
  ['one whose reset is unknown', { tokens: { ...empty, resetMs: null } }, null],
])('waits for exhausted limits: %s', (_, limits, ms) => {
  expect(exhaustedMs(limits)).toBe(ms);
});
