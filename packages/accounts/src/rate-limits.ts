import { ChorusError } from '@chorus/contract';
import { defineScript, fromRedis, type RedisConnection } from '@chorus/events';
import { joinCalls } from '@chorus/runtime/timing';

/** Request classes; each has its own limit. `anonymous`: requests without a login that carry a body. */
export type RateClass = 'reads' | 'writes' | 'executions' | 'anonymous';

export type RateLimitConfig = Readonly<Record<RateClass, number>>;

/** Whose requests are counted together: a user's tokens, one API key, or one network. */
export interface RateSubject {
  id: string;
  /** The key's own limit per minute across classes; null: none. */
  limit: number | null;
}

/** State of one limit after a request. */
export interface RateState {
  /** The class, or `key` for an API key's own limit. */
  name: RateClass | 'key';
  limit: number;
  remaining: number;
  /** Seconds until the oldest counted request expires; at most the window. */
  resetS: number;
}

export interface RateDecision {
  admitted: boolean;
  /** Seconds until the next request can be admitted; 0 if this one was. */
  retryAfterS: number;
  limits: RateState[];
}

export interface RateLimits {
  /**
   * Counts a request if it is within all its limits. Returns null while Redis is unavailable, since limits must not
   * stop the platform.
   */
  take(subject: RateSubject, kind: RateClass): Promise<RateDecision | null>;
}

const RATE_WINDOW_S = 60;

/** Requests are counted in slices of the minute. */
const SLICE_S = 5;

/** Requests are admitted when counting takes longer than this. */
const ANSWERS_WITHIN_MS = 500;

/**
 * Counts requests in a sliding minute of Redis's clock. A hash holds a count and the time of the last request
 * per slice. A slice counts until its last request is a minute old, so no minute admits more than the limit and
 * no wait exceeds the window. Either all limits count a request, or none does.
 *
 * KEYS: the counts. ARGV: their limits (0: unused), then window and slice in seconds, and the number of requests.
 * Returns how many of them are admitted, then for each limit the count before and the seconds until capacity returns.
 */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local window = tonumber(ARGV[#KEYS + 1]) * 1000
local slice = tonumber(ARGV[#KEYS + 2]) * 1000
local current = math.floor(now / slice)
local admitted = tonumber(ARGV[#KEYS + 3])
local answer = {}
for i, key in ipairs(KEYS) do
  local limit = tonumber(ARGV[i])
  local counted = 0
  local slices = {}
  if limit > 0 then
    local fields = redis.call('HGETALL', key)
    local last = {}
    for at = 1, #fields, 2 do
      local place = string.match(fields[at], '^last:(%d+)$')
      if place then last[place] = tonumber(fields[at + 1]) end
    end
    for at = 1, #fields, 2 do
      local place = tonumber(fields[at])
      if place then
        local leaves = (last[fields[at]] or (place + 1) * slice) + window
        if leaves <= now then
          redis.call('HDEL', key, fields[at], 'last:' .. fields[at])
        else
          local count = tonumber(fields[at + 1])
          counted = counted + count
          slices[#slices + 1] = { leaves = leaves, count = count }
        end
      end
    end
  end
  table.sort(slices, function(one, other) return one.leaves < other.leaves end)
  -- Room is made by the oldest slice, or by as many as it takes to get below the limit.
  local free, left = now + window, counted
  for _, one in ipairs(slices) do
    free = one.leaves
    left = left - one.count
    if left < limit then break end
  end
  local wait = math.max(1, math.min(window / 1000, math.ceil((free - now) / 1000)))
  if limit > 0 then admitted = math.max(0, math.min(admitted, limit - counted)) end
  answer[i * 2] = counted
  answer[i * 2 + 1] = wait
end
if admitted > 0 then
  for i, key in ipairs(KEYS) do
    if tonumber(ARGV[i]) > 0 then
      redis.call('HINCRBY', key, current, admitted)
      redis.call('HSET', key, 'last:' .. string.format('%d', current), string.format('%.0f', now))
      redis.call('PEXPIRE', key, window + slice)
    end
  end
end
answer[1] = admitted
return answer`;

/** Maximum number of requests that share a step. */
const MAX_JOINED = 64;

/**
 * Rate limits shared by all API processes through Redis. Requests of one subject in one turn of the event loop share a
 * round trip.
 */
export function createRateLimits(
  redis: RedisConnection,
  config: RateLimitConfig,
  { answersWithinMs = ANSWERS_WITHIN_MS } = {},
): RateLimits {
  const take = defineScript(redis, 'chorusTakeRate', TAKE, 2);

  const takeTogether = joinCalls(
    async (_: string, calls: { subject: RateSubject; kind: RateClass }[]): Promise<(RateDecision | null)[]> => {
      const [{ subject, kind }] = calls as [(typeof calls)[0]];
      const limits: Pick<RateState, 'name' | 'limit'>[] = [{ name: kind, limit: config[kind] }];
      if (subject.limit !== null) limits.push({ name: 'key', limit: subject.limit });
      const keys = [`chorus:rate:{${subject.id}}:${kind}`, `chorus:rate:{${subject.id}}:key`];
      const taken = take(...keys, config[kind], subject.limit ?? 0, RATE_WINDOW_S, SLICE_S, calls.length);
      try {
        const [admitted = 0, ...counts] = (await fromRedis(taken, answersWithinMs)) as number[];
        return calls.map((_, at) => decision(limits, counts, admitted, at));
      } catch {
        return calls.map(() => null);
      }
    },
    { most: MAX_JOINED },
  );

  return {
    take: (subject, kind) => takeTogether(`${subject.id} ${kind} ${subject.limit}`, { subject, kind }),
  };
}

/**
 * Returns the decision on one of several requests that were counted together.
 * @param counts of each limit: the count before, and the seconds until capacity returns
 */
function decision(
  limits: Pick<RateState, 'name' | 'limit'>[],
  counts: number[],
  admitted: number,
  at: number,
): RateDecision {
  const isAdmitted = at < admitted;
  const states = limits.map(({ name, limit }, index) => {
    const counted = (counts[index * 2] ?? 0) + Math.min(at + 1, admitted);
    return { name, limit, remaining: Math.max(0, limit - counted), resetS: counts[index * 2 + 1] ?? RATE_WINDOW_S };
  });
  const waits = states.filter(({ remaining }) => remaining === 0).map(({ resetS }) => resetS);
  return { admitted: isAdmitted, retryAfterS: isAdmitted ? 0 : Math.max(1, ...waits), limits: states };
}

export function checkRate({ admitted, retryAfterS, limits }: RateDecision): void {
  if (admitted) return;
  const spent = limits.find(({ remaining }) => remaining === 0);
  throw new ChorusError('rate_limited', `Limit of ${spent?.limit} requests per minute (${spent?.name}) exceeded.`, {
    retryAfterS,
  });
}

/** Returns the headers of the IETF draft `ratelimit-headers`: policies and their state. */
export function rateLimitHeaders(limits: RateState[]): { 'RateLimit-Policy': string; RateLimit: string } {
  return {
    'RateLimit-Policy': limits.map(({ name, limit }) => `"${name}";q=${limit};w=${RATE_WINDOW_S}`).join(', '),
    RateLimit: limits.map(({ name, remaining, resetS }) => `"${name}";r=${remaining};t=${resetS}`).join(', '),
  };
}
