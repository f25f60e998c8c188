import { type AnswerHeaders, DAY_MS, MINUTE_MS, parseAmount, parseRetryAfterMs, parseTimeMs } from './retry-after.ts';

/** A limit that a provider counts over a time. */
export interface LimitBucket {
  limit: number;
  remaining: number;
  /** Time until all of the limit is available again. Null: unknown. */
  resetMs: number | null;
  /** The time that the limit is for: mostly a minute or a day. */
  perMs: number;
}

/** The limits that a provider reports with an answer. */
export interface ProviderLimits {
  requests?: LimitBucket;
  tokens?: LimitBucket;
  /** Limits of Anthropic in addition to `tokens`. */
  inputTokens?: LimitBucket;
  outputTokens?: LimitBucket;
  /** The requested pause before the next request. */
  retryAfterMs?: number;
}

type BucketName = Exclude<keyof ProviderLimits, 'retryAfterMs'>;

interface Source {
  bucket: BucketName;
  limit: string;
  remaining: string;
  reset: string | null;
  /** Null: to be inferred from the values. */
  perMs: number | null;
}

const anthropic = (bucket: BucketName, name: string): Source => ({
  bucket,
  limit: `anthropic-ratelimit-${name}-limit`,
  remaining: `anthropic-ratelimit-${name}-remaining`,
  reset: `anthropic-ratelimit-${name}-reset`,
  perMs: MINUTE_MS,
});

const general = (prefix: string, suffix: string, bucket: BucketName, perMs: number | null): Source => ({
  bucket,
  limit: `${prefix}-limit${suffix}`,
  remaining: `${prefix}-remaining${suffix}`,
  reset: `${prefix}-reset${suffix}`,
  perMs,
});

/** The headers of each limit. The first that an answer has counts. */
const SOURCES: readonly Source[] = [
  // OpenAI, Azure, vLLM behind gateways, and Groq, whose requests are mostly per day.
  general('x-ratelimit', '-requests', 'requests', null),
  general('x-ratelimit', '-tokens', 'tokens', MINUTE_MS),
  anthropic('requests', 'requests'),
  anthropic('tokens', 'tokens'),
  anthropic('inputTokens', 'input-tokens'),
  anthropic('outputTokens', 'output-tokens'),
  // Mistral, now and before 2026.
  general('x-ratelimit', '-req-minute', 'requests', MINUTE_MS),
  general('x-ratelimit', '-tokens-minute', 'tokens', MINUTE_MS),
  general('x-ratelimitbysize', '-minute', 'tokens', MINUTE_MS),
  general('ratelimitbysize', '', 'tokens', MINUTE_MS),
  // OpenRouter and many proxies.
  general('x-ratelimit', '', 'requests', null),
];

/** Reads the limits of an answer. Returns null if it reports none. Ignores invalid values. */
export function readLimits(headers: AnswerHeaders, nowMs: number): ProviderLimits | null {
  const limits: ProviderLimits = {};
  for (const source of SOURCES) {
    if (headers[source.limit] === undefined || limits[source.bucket] !== undefined) continue;
    const bucket = bucketOf(source, headers, nowMs);
    if (bucket !== null) limits[source.bucket] = bucket;
  }
  if (headers.ratelimit !== undefined || headers['ratelimit-limit'] !== undefined)
    Object.assign(limits, { ...readStandard(headers, nowMs), ...limits });
  const retryAfterMs = parseRetryAfterMs(headers, nowMs);
  if (retryAfterMs !== null) limits.retryAfterMs = retryAfterMs;
  return Object.keys(limits).length > 0 ? limits : null;
}

/** Returns when the exhausted limits allow requests again. Null: none is exhausted, or the time is unknown. */
export function exhaustedMs({ retryAfterMs, ...buckets }: ProviderLimits): number | null {
  const times = Object.values(buckets)
    .filter(({ remaining }) => remaining === 0)
    .map(({ resetMs }) => resetMs ?? 0);
  const longest = Math.max(0, ...times);
  return longest > 0 ? longest : null;
}

function bucketOf(source: Source, headers: AnswerHeaders, nowMs: number): LimitBucket | null {
  const limit = parseAmount(headers[source.limit]);
  const remaining = parseAmount(headers[source.remaining]);
  if (limit === null || limit <= 0 || remaining === null) return null;
  const resetMs = source.reset === null ? null : parseTimeMs(headers[source.reset], nowMs);
  const bucket = { limit, remaining: Math.min(limit, Math.max(0, remaining)), resetMs };
  return { ...bucket, perMs: source.perMs ?? windowOf(bucket, headers) };
}

/** How far the refill of a limit per day may be from a day, because providers round. */
const ROUNDING = 0.1;

/**
 * Returns whether requests are counted per minute or per day, which OpenAI and Groq don't say. Their limits refill
 * steadily, so that the used part and its time give the whole time.
 */
function windowOf({ limit, remaining, resetMs }: Omit<LimitBucket, 'perMs'>, headers: AnswerHeaders): number {
  if (headers['x-groq-region'] !== undefined) return DAY_MS;
  if (resetMs === null || resetMs === 0) return MINUTE_MS;
  if (resetMs > 1.5 * MINUTE_MS) return DAY_MS;
  const used = limit - remaining;
  const fullMs = used > 0 ? (resetMs * limit) / used : 0;
  return Math.abs(fullMs / DAY_MS - 1) < ROUNDING ? DAY_MS : MINUTE_MS;
}

/** Longer headers, and more limits in one, are cut. */
const MAX_LENGTH = 1_000;
const MAX_MEMBERS = 10;

/**
 * Reads the IETF's drafts: `RateLimit: "minute";r=3;t=20` with `RateLimit-Policy: "minute";q=100;w=60`,
 * `RateLimit: limit=100, remaining=3, reset=20`, and `RateLimit-Limit` with its two siblings.
 */
function readStandard(headers: AnswerHeaders, nowMs: number): ProviderLimits {
  const policies = membersOf(headers['ratelimit-policy']);
  const current = membersOf(headers.ratelimit);
  const limits: ProviderLimits = {};
  for (const { name, values } of current) {
    const policy = policies.find((one) => one.name === name) ?? (policies.length === 1 ? policies[0] : undefined);
    const remaining = parseAmount(values.r);
    const resetMs = parseTimeMs(values.t, nowMs);
    const limit = parseAmount(policy?.values.q);
    const unit = policy?.values.qu ?? (/token/i.test(name) ? 'tokens' : 'requests');
    if (remaining === null || (unit !== 'requests' && unit !== 'tokens')) continue;
    if (limit === null || limit <= 0) {
      if (remaining === 0 && resetMs !== null) limits.retryAfterMs = Math.max(limits.retryAfterMs ?? 0, resetMs);
      continue;
    }
    keepTighter(limits, unit, { limit, remaining: Math.min(limit, remaining), resetMs, perMs: windowIn(policy) });
  }
  const old = Object.assign({}, ...current.map(({ values }) => values)) as Values;
  const limit = parseAmount(old.limit ?? first(headers['ratelimit-limit'])?.split(/[,;]/, 1)[0]);
  const remaining = parseAmount(old.remaining ?? headers['ratelimit-remaining']);
  if (limit !== null && limit > 0 && remaining !== null) {
    const resetMs = parseTimeMs(old.reset ?? headers['ratelimit-reset'], nowMs);
    const window = windowIn(policies[0] ?? membersOf(headers['ratelimit-limit']).find(({ values }) => values.w));
    keepTighter(limits, 'requests', { limit, remaining: Math.min(limit, remaining), resetMs, perMs: window });
  }
  return limits;
}

function keepTighter(limits: ProviderLimits, name: BucketName, bucket: LimitBucket): void {
  const known = limits[name];
  if (known === undefined || bucket.remaining / bucket.limit < known.remaining / known.limit) limits[name] = bucket;
}

function windowIn(policy: Member | undefined): number {
  const seconds = parseAmount(policy?.values.w);
  return seconds === null || seconds <= 0 ? MINUTE_MS : Math.min(seconds * 1000, 31 * DAY_MS);
}

type Values = Record<string, string | undefined>;
interface Member {
  name: string;
  values: Values;
}

/** Parses a list of names with parameters, the parameters also without a name. */
function membersOf(header: string | string[] | undefined): Member[] {
  const text = (Array.isArray(header) ? header.join(',') : (header ?? '')).slice(0, MAX_LENGTH);
  return text
    .split(',', MAX_MEMBERS)
    .map((member) => {
      const parts = member.split(';').map((part) => part.trim());
      const values: Values = {};
      for (const part of parts) {
        const at = part.indexOf('=');
        if (at > 0) values[part.slice(0, at).toLowerCase()] = part.slice(at + 1).replaceAll('"', '');
      }
      return { name: (parts[0] ?? '').replaceAll('"', ''), values };
    })
    .filter(({ name }) => name !== '');
}

function first(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
