import type { ErrorCode } from '@chorus/contract';
import type { Facts } from './failure-facts.ts';

/**
 * Sorts failures by their meaning for other requests to the provider.
 *
 * - `slow_down`: it takes fewer requests for a while.
 * - `away`: it answers none for a while.
 * - `never`: it will not accept this request, but others.
 * - `stopped`: it accepts none until its key or account changes.
 */
export type FailureClass = 'slow_down' | 'away' | 'never' | 'stopped';

/** Names the part to change before the provider accepts requests again. */
export type StopReason = 'key' | 'credit';

export interface FailureRow {
  when: (facts: Facts) => boolean;
  class: FailureClass;
  stopReason?: StopReason;
  code: ErrorCode;
  /** Default: the status of the code. */
  status?: number;
  says: (provider: string, facts: Facts) => string;
  /** Whether the provider's own words follow. Not where they may repeat the key. */
  quotes?: boolean;
}

/** Clients repeat a request after a 503, but not after a 502, after which the provider may have done the work. */
const MAY_HAVE_RUN = 502;

/** Errors that occur before a provider can have accepted anything. */
export const NOT_CONNECTED =
  /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$|CERT/;

const MODEL_CODES =
  /model_not_found|unknown_model|invalid_model|model_decommissioned|model_permission|deploymentnotfound/;
const CREDIT_CODES =
  /insufficient_(quota|credit|balance|fund)|billing|quota_exceeded|payment_required|blocked_api_access|spend_limit/;
const CREDIT_WORDS =
  /credit balance is too low|exhausted balance|prepayment credits|spend(ing)? (cap|limit)|specified api usage limits|not enough credits/i;
const KEY_CODES =
  /(api_key_|auth_?)invalid|invalid_(api_key|auth)|authentication_error|permission_denied|organization_restricted|service_disabled/;
const RATE_CODES =
  /rate_limit|ratelimit|too_many_requests|too_many_concurrent|resource_exhausted|capacity_exceeded|slow_down/;
const REFUSAL_CODES =
  /content_?filter|content_policy|content_against_policy|moderation|policy_violation|cyber_policy|responsible_?ai/;
const REFUSAL_WORDS =
  /safety system|content (management )?polic|content filter|flagged (as|by|for)|usage polic|content checker/i;
const LENGTH_WORDS =
  /(maximum|max|exceed\w*|longer than|too (long|large|many)).{0,60}(context|prompt|input) ?(length|window|size|tokens)?|context (length|window|size).{0,60}(exceed|is too|maximum)|(prompt|input|request) is too (long|large)|too many (input )?tokens|token count.{0,40}exceeds|reduce the length of the (messages|prompt)/i;
/** All places of a server are taken, rather than the server being down: Ollama, llama.cpp, OpenAI. */
const BUSY_WORDS = /server busy|maximum pending requests|no slot available|^slow down/i;

const hasStatus = ({ status }: Facts, ...statuses: readonly number[]) => status !== null && statuses.includes(status);
const broke = ({ status, network }: Facts) => status === null && network !== null;

/** All failures of all providers and ports. The first row that applies counts. */
export const FAILURES: readonly FailureRow[] = [
  {
    // A request that is larger than all tokens of a minute never fits, although OpenAI and Groq call this a rate limit.
    when: (facts) =>
      facts.codes.includes('context_length_exceeded') ||
      /request too large/i.test(facts.message) ||
      (hasNoStatusBut(facts, 400, 413, 422) && LENGTH_WORDS.test(facts.message)),
    class: 'never',
    code: 'context_too_long',
    says: () => 'The conversation is too long for the model',
    quotes: true,
  },
  {
    when: (facts) =>
      REFUSAL_CODES.test(facts.codes) || (hasNoStatusBut(facts, 400, 403, 422) && REFUSAL_WORDS.test(facts.message)),
    class: 'never',
    code: 'content_refused',
    says: (provider) => `${provider} refused the content`,
    quotes: true,
  },
  {
    when: (facts) =>
      MODEL_CODES.test(facts.codes) ||
      (hasStatus(facts, 404) && /\bmodels?\b|^application\b|no endpoints found/i.test(facts.message)),
    class: 'never',
    code: 'model_not_found',
    says: (provider) => `${provider} does not know this model`,
    quotes: true,
  },
  {
    // The account lacks this model or voice, but has others.
    when: (facts) =>
      facts.codes.includes('paid_plan_required') ||
      (hasStatus(facts, 401, 403) && /\b(access|permission|verified|blocked)\b.{0,80}\bmodel\b/i.test(facts.message)),
    class: 'never',
    code: 'invalid_request',
    says: (provider) => `The account at ${provider} may not use this`,
    quotes: true,
  },
  {
    when: (facts) =>
      hasStatus(facts, 402) || facts.monthIsSpent || CREDIT_CODES.test(facts.codes) || CREDIT_WORDS.test(facts.message),
    class: 'stopped',
    stopReason: 'credit',
    code: 'provider_rate_limited',
    says: (provider) => `The account at ${provider} has no credit left`,
  },
  {
    when: (facts) => hasStatus(facts, 401, 403) || KEY_CODES.test(facts.codes),
    class: 'stopped',
    stopReason: 'key',
    code: 'provider_auth',
    says: (provider) => `${provider} did not accept the key of this platform. An operator must replace it.`,
  },
  {
    // Groq answers with 498 if it has no flexible capacity.
    when: (facts) => hasStatus(facts, 429, 498) || RATE_CODES.test(facts.codes),
    class: 'slow_down',
    code: 'provider_rate_limited',
    says: (provider) => `${provider} limits the rate of requests`,
    quotes: true,
  },
  {
    when: ({ status, network }) => status === null && /^UND_ERR_(HEADERS|BODY)_TIMEOUT$/.test(network ?? ''),
    class: 'away',
    code: 'timeout',
    says: (provider) => `${provider} was silent for too long`,
  },
  {
    when: (facts) => broke(facts) && NOT_CONNECTED.test(facts.network ?? ''),
    class: 'away',
    code: 'provider_unavailable',
    says: (provider, { network }) => `There is no connection to ${provider} (${network})`,
  },
  {
    when: (facts) => broke(facts) && !facts.begun,
    class: 'away',
    code: 'provider_unavailable',
    status: MAY_HAVE_RUN,
    says: (provider, { network }) => `The connection broke to ${provider} (${network})`,
  },
  {
    when: broke,
    class: 'away',
    code: 'provider_error',
    says: (provider, { network }) => `The connection broke to ${provider} (${network})`,
  },
  {
    when: (facts) =>
      hasStatus(facts, 529) ||
      facts.codes.includes('overloaded_error') ||
      (hasStatus(facts, 503) && BUSY_WORDS.test(facts.message)),
    class: 'slow_down',
    code: 'provider_unavailable',
    says: (provider) => `${provider} is overloaded`,
    quotes: true,
  },
  {
    when: (facts) => hasStatus(facts, 503) || /overloaded|unavailable|over_capacity|system_busy/.test(facts.codes),
    class: 'away',
    code: 'provider_unavailable',
    says: (provider) => `${provider} is overloaded`,
    quotes: true,
  },
  {
    when: ({ isLocal }) => isLocal,
    class: 'never',
    code: 'provider_error',
    says: (provider) => `The request to ${provider} failed`,
  },
  {
    when: ({ status }) => status === null,
    class: 'away',
    code: 'provider_error',
    says: (provider) => `${provider} failed`,
    quotes: true,
  },
  {
    when: (facts) => hasStatus(facts, 501),
    class: 'never',
    code: 'invalid_request',
    says: (provider) => `${provider} does not support this (HTTP 501)`,
    quotes: true,
  },
  {
    // From 520: codes of a proxy whose server does not respond.
    when: (facts) => hasStatus(facts, 502, 504, 520, 521, 522, 523, 524),
    class: 'away',
    code: 'provider_unavailable',
    status: MAY_HAVE_RUN,
    says: (provider, { status }) => `${provider} is not available (HTTP ${status})`,
    quotes: true,
  },
  {
    when: ({ status }) => (status ?? 0) >= 500 || status === 408,
    class: 'away',
    code: 'provider_error',
    says: (provider, { status }) => `${provider} failed (HTTP ${status})`,
    quotes: true,
  },
  {
    when: ({ status }) => (status ?? 0) < 400,
    class: 'never',
    code: 'provider_error',
    says: (provider, { status }) => `${provider} redirects requests (HTTP ${status}). Check its base URL.`,
  },
  {
    when: (facts) => hasStatus(facts, 404, 405),
    class: 'never',
    code: 'provider_error',
    says: (provider, { status }) => `${provider} does not have this endpoint (HTTP ${status}). Check its base URL.`,
  },
];

/** Any other answer. */
export const NOT_ACCEPTED: FailureRow = {
  when: () => true,
  class: 'never',
  code: 'invalid_request',
  says: (provider, { status }) => `${provider} did not accept the request (HTTP ${status})`,
  quotes: true,
};

/** Returns whether there is no status, as in a stream, or one of these. */
function hasNoStatusBut({ status }: Facts, ...statuses: readonly number[]): boolean {
  return status === null || statuses.includes(status);
}
