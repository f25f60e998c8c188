import { ChorusError } from '@chorus/contract';
import { defineScript, fromRedis, type RedisConnection } from '@chorus/events';

/** What requests are counted as; each class has its limit. `anonymous`: those without a login that bring a body. */
export type RateClass = 'reads' | 'writes' | 'executions' | 'anonymous';

/** Requests a minute that one authentication context may make, by class. */
export type RateLimitConfig = Readonly<Record<RateClass, number>>;

/** Whose requests are counted together: a user's tokens, one API key, or one address. */
export interface RateSubject {
  /** The user's id, the API key's, or the network's name. */
  id: string;
  /** The key's own limit: requests a minute over all classes; null: none. */
  limit: number | null;
}

/** How one limit stands after a request. */
export interface RateState {
  /** The class, or `key` for an API key's own limit. */
  name: RateClass | 'key';
  /** Requests a minute. */
  limit: number;
  remaining: number;
  /** Seconds until the oldest of the counted requests is a minute old. */
  resetS: number;
}

export interface RateDecision {
  admitted: boolean;
  /** Seconds after which the next request can be admitted; 0 when this one was. */
  retryAfterS: number;
  limits: RateState[];
}

export interface RateLimits {
  /** Counts a request if it is within all its limits. Null while Redis is away: limits protect, they do not stop the platform. */
  take(subject: RateSubject, kind: RateClass): Promise<RateDecision | null>;
}

const RATE_WINDOW_S = 60;

/** Requests are counted in slices of the minute. */
const SLICE_S = 5;

/** Who waits longer than this for a count is let through, in milliseconds. */
const ANSWERS_WITHIN_MS = 500;

/**
 * A sliding minute by Redis's clock: a hash with a count for each slice. The oldest slice counts whole until all of it is over a minute
 * ago, so that in no minute more are admitted than the limit. Either all limits count the request, or none does.
 *
 * KEYS: the counts. ARGV: their limits (0: not in use), the window, the slice, both in seconds.
 * Answers for each limit how many were counted and the seconds until the oldest slice leaves; and in front the seconds to wait, 0: admitted.
 */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
local window = tonumber(ARGV[#KEYS + 1])
local slice = tonumber(ARGV[#KEYS + 2])
local current = math.floor(now / slice)
local first = math.floor((now - window) / slice)
local answer = {0}
for i, key in ipairs(KEYS) do
  local limit = tonumber(ARGV[i])
  local counted = 0
  local oldest = current
  if limit > 0 then
    local counts = redis.call('HGETALL', key)
    for at = 1, #counts, 2 do
      local place = tonumber(counts[at])
      if place < first then
        redis.call('HDEL', key, counts[at])
      else
        counted = counted + tonumber(counts[at + 1])
        if place < oldest then oldest = place end
      end
    end
  end
  local leaves = math.max(1, math.ceil((oldest + 1) * slice + window - now))
  if limit > 0 and counted >= limit and leaves > answer[1] then answer[1] = leaves end
  answer[i * 2] = counted
  answer[i * 2 + 1] = leaves
end
if answer[1] == 0 then
  for i, key in ipairs(KEYS) do
    if tonumber(ARGV[i]) > 0 then
      redis.call('HINCRBY', key, current, 1)
      redis.call('EXPIRE', key, window + slice)
      answer[i * 2] = answer[i * 2] + 1
    end
  end
end
return answer`;

/** Limits over all API processes: the counts are in Redis. One round trip for each request. */
export function createRateLimits(
  redis: RedisConnection,
  config: RateLimitConfig,
  { answersWithinMs = ANSWERS_WITHIN_MS } = {},
): RateLimits {
  const take = defineScript(redis, 'chorusTakeRate', TAKE, 2);

  return {
    async take(subject, kind) {
      const limits: Pick<RateState, 'name' | 'limit'>[] = [{ name: kind, limit: config[kind] }];
      if (subject.limit !== null) limits.push({ name: 'key', limit: subject.limit });
      const keys = [`chorus:rate:{${subject.id}}:${kind}`, `chorus:rate:{${subject.id}}:key`];
      const taken = take(...keys, config[kind], subject.limit ?? 0, RATE_WINDOW_S, SLICE_S);
      let answer: number[];
      try {
        answer = (await fromRedis(taken, answersWithinMs)) as number[];
      } catch {
        return null;
      }
      const [retryAfterS = 0, ...counts] = answer;
      return {
        admitted: retryAfterS === 0,
        retryAfterS,
        limits: limits.map(({ name, limit }, at) => ({
          name,
          limit,
          remaining: Math.max(0, limit - (counts[at * 2] ?? 0)),
          resetS: counts[at * 2 + 1] ?? RATE_WINDOW_S,
        })),
      };
    },
  };
}

/** @throws {ChorusError} rate_limited, unless the request was admitted */
export function checkRate({ admitted, retryAfterS, limits }: RateDecision): void {
  if (admitted) return;
  const spent = limits.find(({ remaining }) => remaining === 0);
  throw new ChorusError('rate_limited', `More than ${spent?.limit} requests (${spent?.name}) in a minute.`, {
    retryAfterS,
  });
}

/** The headers of the IETF's draft `ratelimit-headers`: what the limits are, and how they stand. */
export function rateLimitHeaders(limits: RateState[]): { 'RateLimit-Policy': string; RateLimit: string } {
  return {
    'RateLimit-Policy': limits.map(({ name, limit }) => `"${name}";q=${limit};w=${RATE_WINDOW_S}`).join(', '),
    RateLimit: limits.map(({ name, remaining, resetS }) => `"${name}";r=${remaining};t=${resetS}`).join(', '),
  };
}
