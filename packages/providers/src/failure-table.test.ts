import { APICallError } from '@ai-sdk/provider';
import type { ErrorCode } from '@chorus/contract';
import { describe, expect, test } from 'vitest';
import type { FailureClass, StopReason } from './failure-table.ts';
import { toFailure } from './provider-failure.ts';

type Expected = [FailureClass, ErrorCode, retryAfterMs?: number | null, stopReason?: StopReason];
type Case = [status: number, body: unknown, expected: Expected, headers?: Record<string, string>];

const openai = (message: string, type: string, code: string | null = null) => ({
  error: { message, type, param: null, code },
});
const anthropic = (type: string, message: string) => ({ type: 'error', error: { type, message }, request_id: 'req_1' });
const google = (code: number, status: string, message: string, ...details: unknown[]) => ({
  error: { code, message, status, details },
});
const quota = (...quotaIds: string[]) => ({
  '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
  violations: quotaIds.map((quotaId) => ({
    quotaMetric: 'generativelanguage.googleapis.com/generate_content_free_tier_requests',
    quotaId,
    quotaDimensions: { location: 'global', model: 'gemini-3-flash' },
  })),
});
const retryInfo = (retryDelay: string) => ({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay });
const errorInfo = (reason: string) => ({ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason });
const mistral = (message: string, type: string, code: string) => ({
  object: 'error',
  message,
  type,
  param: null,
  code,
});
const elevenlabs = (status: string, message: string) => ({ detail: { status, message } });
const deepgram = (err_code: string, err_msg: string) => ({ err_code, err_msg, request_id: 'uuid' });
const falDetail = (type: string, msg: string) => ({
  detail: [{ loc: ['body', 'prompt'], msg, type, url: 'https://docs.fal.ai/errors' }],
});

const GOOGLE_QUOTA =
  'You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.';

const CASES: Record<string, Case[]> = {
  openai: [
    [
      429,
      openai(
        'Rate limit reached for gpt-5 in organization org-x on tokens per min (TPM): Limit 30000, Used 28000, Requested 4000. Please try again in 4s.',
        'tokens',
        'rate_limit_exceeded',
      ),
      ['slow_down', 'provider_rate_limited', 4_000],
    ],
    [
      429,
      openai('Rate limit reached for requests', 'requests', 'rate_limit_exceeded'),
      ['slow_down', 'provider_rate_limited', 120],
      { 'retry-after-ms': '120', 'retry-after': '1' },
    ],
    [
      429,
      openai('Rate limit reached for requests', 'requests', 'rate_limit_exceeded'),
      ['slow_down', 'provider_rate_limited', 360_000],
      {
        'x-ratelimit-limit-requests': '500',
        'x-ratelimit-remaining-requests': '490',
        'x-ratelimit-reset-requests': '1.2s',
        'x-ratelimit-limit-tokens': '30000',
        'x-ratelimit-remaining-tokens': '0',
        'x-ratelimit-reset-tokens': '6m0s',
      },
    ],
    [
      429,
      openai(
        'Request too large for gpt-5 in organization org-x on tokens per min (TPM): Limit 30000, Requested 40000. The input or output tokens must be reduced in order to run successfully.',
        'tokens',
        'rate_limit_exceeded',
      ),
      ['never', 'context_too_long'],
    ],
    [
      429,
      openai(
        'You exceeded your current quota, please check your plan and billing details.',
        'insufficient_quota',
        'insufficient_quota',
      ),
      ['stopped', 'provider_rate_limited', null, 'credit'],
    ],
    [
      400,
      openai('Billing hard limit has been reached', 'invalid_request_error', 'billing_hard_limit_reached'),
      ['stopped', 'provider_rate_limited', null, 'credit'],
    ],
    [
      401,
      openai('Incorrect API key provided: sk-x.', 'invalid_request_error', 'invalid_api_key'),
      ['stopped', 'provider_auth', null, 'key'],
    ],
    [
      403,
      openai(
        'Country, region, or territory not supported',
        'request_forbidden',
        'unsupported_country_region_territory',
      ),
      ['stopped', 'provider_auth', null, 'key'],
    ],
    [
      403,
      openai('Your organization must be verified to use the model `gpt-image-1`.', 'invalid_request_error'),
      ['never', 'invalid_request'],
    ],
    [
      403,
      openai('Project `proj_x` does not have access to model `gpt-5`', 'invalid_request_error', 'model_not_found'),
      ['never', 'model_not_found'],
    ],
    [
      400,
      openai('Your request was rejected by the safety system.', 'image_generation_user_error', 'moderation_blocked'),
      ['never', 'content_refused'],
    ],
    [400, openai('Invalid file format.', 'invalid_request_error'), ['never', 'invalid_request']],
    [409, openai('Conflict', 'invalid_request_error'), ['never', 'invalid_request']],
    [
      503,
      openai('The engine is currently overloaded, please try again later', 'server_error'),
      ['away', 'provider_unavailable'],
    ],
    [503, openai('Slow down', 'server_error'), ['slow_down', 'provider_unavailable']],
    [500, openai('The server had an error while processing your request', 'server_error'), ['away', 'provider_error']],
    [502, '<html><title>502 Bad Gateway</title></html>', ['away', 'provider_unavailable']],
    [520, 'error code: 520', ['away', 'provider_unavailable']],
    [504, '', ['away', 'provider_unavailable', 30_000], { 'retry-after': '30' }],
  ],
  anthropic: [
    [
      429,
      anthropic(
        'rate_limit_error',
        'This request would exceed your organization’s rate limit of 40,000 input tokens per minute.',
      ),
      ['slow_down', 'provider_rate_limited', 17_000],
      { 'retry-after': '17', 'anthropic-ratelimit-requests-remaining': '0' },
    ],
    [529, anthropic('overloaded_error', 'Overloaded'), ['slow_down', 'provider_unavailable']],
    [
      400,
      anthropic('invalid_request_error', 'Your credit balance is too low to access the Anthropic API.'),
      ['stopped', 'provider_rate_limited', null, 'credit'],
    ],
    [
      400,
      anthropic(
        'invalid_request_error',
        'You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.',
      ),
      ['stopped', 'provider_rate_limited', null, 'credit'],
    ],
    [
      402,
      anthropic('billing_error', 'There is an issue with your billing.'),
      ['stopped', 'provider_rate_limited', null, 'credit'],
    ],
    [401, anthropic('authentication_error', 'invalid x-api-key'), ['stopped', 'provider_auth', null, 'key']],
    [
      403,
      anthropic('permission_error', 'Your API key does not have permission to use the specified resource.'),
      ['stopped', 'provider_auth', null, 'key'],
    ],
    [404, anthropic('not_found_error', 'model: claude-9'), ['never', 'model_not_found']],
    [
      400,
      anthropic('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
      ['never', 'context_too_long'],
    ],
    [
      400,
      anthropic('invalid_request_error', 'Output blocked by content filtering policy'),
      ['never', 'content_refused'],
    ],
    [413, anthropic('request_too_large', 'Request exceeds the maximum size'), ['never', 'invalid_request']],
    [500, anthropic('api_error', 'Internal server error'), ['away', 'provider_error']],
    [504, anthropic('timeout_error', 'The request timed out'), ['away', 'provider_unavailable']],
  ],
  google: [
    [
      429,
      google(
        429,
        'RESOURCE_EXHAUSTED',
        GOOGLE_QUOTA,
        quota('GenerateRequestsPerMinutePerProjectPerModel-FreeTier'),
        retryInfo('34.07424s'),
      ),
      ['slow_down', 'provider_rate_limited', 34_075],
    ],
    [
      429,
      google(
        429,
        'RESOURCE_EXHAUSTED',
        GOOGLE_QUOTA,
        quota('GenerateRequestsPerDayPerProjectPerModel-FreeTier'),
        retryInfo('34s'),
      ),
      ['slow_down', 'provider_rate_limited', 600_000],
    ],
    [
      429,
      google(
        429,
        'RESOURCE_EXHAUSTED',
        GOOGLE_QUOTA,
        quota('GenerateRequestsPerDayPerProjectPerModel'),
        retryInfo('56412.9s'),
      ),
      ['slow_down', 'provider_rate_limited', 56_412_900],
    ],
    [
      429,
      google(429, 'RESOURCE_EXHAUSTED', 'Resource exhausted. Please try again later.'),
      ['slow_down', 'provider_rate_limited'],
    ],
    [
      429,
      google(429, 'RESOURCE_EXHAUSTED', 'Your prepayment credits are depleted.'),
      ['stopped', 'provider_rate_limited', null, 'credit'],
    ],
    [
      429,
      google(429, 'RESOURCE_EXHAUSTED', 'Your project has exceeded its monthly spending cap.'),
      ['stopped', 'provider_rate_limited', null, 'credit'],
    ],
    [
      400,
      google(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', errorInfo('API_KEY_INVALID')),
      ['stopped', 'provider_auth', null, 'key'],
    ],
    [
      403,
      google(
        403,
        'PERMISSION_DENIED',
        'This API method requires billing to be enabled.',
        errorInfo('BILLING_DISABLED'),
      ),
      ['stopped', 'provider_rate_limited', null, 'credit'],
    ],
    [
      403,
      google(
        403,
        'PERMISSION_DENIED',
        'Generative Language API has not been used in project 1 before or it is disabled.',
        errorInfo('SERVICE_DISABLED'),
      ),
      ['stopped', 'provider_auth', null, 'key'],
    ],
    [
      404,
      google(404, 'NOT_FOUND', 'models/gemini-9 is not found for API version v1beta.'),
      ['never', 'model_not_found'],
    ],
    [
      400,
      google(400, 'INVALID_ARGUMENT', 'The input token count (2000000) exceeds the maximum number of tokens allowed.'),
      ['never', 'context_too_long'],
    ],
    [
      503,
      google(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
      ['away', 'provider_unavailable'],
    ],
    [500, google(500, 'INTERNAL', 'An internal error has occurred.'), ['away', 'provider_error']],
    [
      504,
      google(504, 'DEADLINE_EXCEEDED', 'Deadline expired before operation could complete.'),
      ['away', 'provider_unavailable'],
    ],
  ],
  mistral: [
    [
      429,
      mistral('Rate limit exceeded', 'rate_limited', '1300'),
      ['slow_down', 'provider_rate_limited', 40_000],
      { 'ratelimitbysize-limit': '500000', 'ratelimitbysize-remaining': '0', 'ratelimitbysize-reset': '40' },
    ],
    [
      429,
      mistral('Service tier capacity exceeded for this model.', 'service_tier_capacity_exceeded', '3505'),
      ['slow_down', 'provider_rate_limited'],
    ],
    [
      429,
      mistral('Rate limit exceeded', 'rate_limited', '1300'),
      ['stopped', 'provider_rate_limited', null, 'credit'],
      { 'x-ratelimitbysize-remaining-month': '0' },
    ],
    [429, { message: 'Requests rate limit exceeded' }, ['slow_down', 'provider_rate_limited']],
    [401, { detail: 'Unauthorized' }, ['stopped', 'provider_auth', null, 'key']],
    [400, mistral('Invalid model: mistral-9', 'invalid_model', '1500'), ['never', 'model_not_found']],
    [
      422,
      { detail: [{ type: 'missing', loc: ['body', 'messages'], msg: 'Field required' }] },
      ['never', 'invalid_request'],
    ],
    [503, mistral('Service unavailable.', 'internal_server_error', '3000'), ['away', 'provider_unavailable']],
  ],
  groq: [
    [
      429,
      openai(
        'Rate limit reached for model `llama` in organization `org_x` service tier `on_demand` on requests per day (RPD): Limit 1000, Used 1000, Requested 1. Please try again in 1m26.4s.',
        'requests',
        'rate_limit_exceeded',
      ),
      ['slow_down', 'provider_rate_limited', 86_400],
    ],
    [
      413,
      openai(
        'Request too large for model `llama` in organization `org_x` on tokens per minute (TPM): Limit 6000, Requested 9000, please reduce your message size and try again.',
        'tokens',
        'rate_limit_exceeded',
      ),
      ['never', 'context_too_long'],
    ],
    [
      498,
      openai('Flex tier capacity exceeded', 'invalid_request_error', 'capacity_exceeded'),
      ['slow_down', 'provider_rate_limited'],
    ],
    [
      400,
      openai('API access blocked by spend limit', 'invalid_request_error', 'blocked_api_access'),
      ['stopped', 'provider_rate_limited', null, 'credit'],
    ],
    [
      400,
      openai('Organization has been restricted.', 'invalid_request_error', 'organization_restricted'),
      ['stopped', 'provider_auth', null, 'key'],
    ],
    [
      400,
      openai('The model `x` has been decommissioned.', 'invalid_request_error', 'model_decommissioned'),
      ['never', 'model_not_found'],
    ],
    [
      403,
      openai('The model `x` is blocked at the project level.', 'permissions_error', 'model_permission_blocked_project'),
      ['never', 'model_not_found'],
    ],
    [503, openai('llama is currently over capacity.', 'internal_server_error'), ['away', 'provider_unavailable']],
    [
      400,
      openai('Failed to call a function.', 'invalid_request_error', 'tool_use_failed'),
      ['never', 'invalid_request'],
    ],
  ],
  fal: [
    [
      403,
      { detail: 'User is locked. Reason: Exhausted balance. Top up your balance at fal.ai/dashboard/billing.' },
      ['stopped', 'provider_rate_limited', null, 'credit'],
    ],
    [
      403,
      { detail: 'User is locked. Reason: Admin lock. Please contact support@fal.ai.' },
      ['stopped', 'provider_auth', null, 'key'],
    ],
    [
      401,
      { detail: 'Authentication is required to access this application.' },
      ['stopped', 'provider_auth', null, 'key'],
    ],
    [404, { detail: "Application 'flux-9' not found" }, ['never', 'model_not_found']],
    [422, falDetail('content_policy_violation', 'Flagged by a content checker.'), ['never', 'content_refused']],
    [422, falDetail('missing', 'field required'), ['never', 'invalid_request']],
    [
      429,
      { detail: 'Too many requests' },
      ['slow_down', 'provider_rate_limited', 9_000],
      { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '9' },
    ],
    [
      400,
      falDetail('downstream_service_unavailable', 'Downstream service unavailable'),
      ['away', 'provider_unavailable'],
    ],
    [
      503,
      { detail: 'No runner is available', error_type: 'runner_scheduling_failure' },
      ['away', 'provider_unavailable'],
    ],
    [504, { detail: 'Request timed out', error_type: 'request_timeout' }, ['away', 'provider_unavailable']],
  ],
  elevenlabs: [
    [
      429,
      elevenlabs('too_many_concurrent_requests', 'Too many concurrent requests.'),
      ['slow_down', 'provider_rate_limited'],
    ],
    [429, elevenlabs('system_busy', 'The system is busy.'), ['slow_down', 'provider_rate_limited']],
    [
      401,
      elevenlabs('quota_exceeded', 'This request exceeds your quota of 10000.'),
      ['stopped', 'provider_rate_limited', null, 'credit'],
    ],
    [401, elevenlabs('invalid_api_key', 'Invalid API key'), ['stopped', 'provider_auth', null, 'key']],
    [
      402,
      {
        detail: {
          type: 'payment_required',
          code: 'paid_plan_required',
          message: 'Free users cannot use library voices via the API.',
        },
      },
      ['never', 'invalid_request'],
    ],
    [400, elevenlabs('voice_not_found', 'A voice with this id was not found.'), ['never', 'invalid_request']],
    [400, elevenlabs('content_against_policy', 'Against our policy.'), ['never', 'content_refused']],
    [400, elevenlabs('text_too_long', 'Text is too long.'), ['never', 'invalid_request']],
  ],
  deepgram: [
    [
      429,
      deepgram('TOO_MANY_REQUESTS', 'Too many requests. Please try again later'),
      ['slow_down', 'provider_rate_limited'],
    ],
    [
      402,
      deepgram('ASR_PAYMENT_REQUIRED', 'Project does not have enough credits for an ASR request.'),
      ['stopped', 'provider_rate_limited', null, 'credit'],
    ],
    [401, deepgram('INVALID_AUTH', 'Invalid credentials.'), ['stopped', 'provider_auth', null, 'key']],
    [
      403,
      deepgram('INSUFFICIENT_PERMISSIONS', 'Project does not have access to the requested model.'),
      ['never', 'invalid_request'],
    ],
    [
      400,
      deepgram('Bad Request', 'Bad Request: failed to process audio: corrupt or unsupported data'),
      ['never', 'invalid_request'],
    ],
    [
      400,
      { category: 'INVALID_JSON', message: 'Invalid JSON submitted.', details: 'Json deserialize error' },
      ['never', 'invalid_request'],
    ],
    [408, deepgram('SLOW_UPLOAD', 'Data was not uploaded quickly enough.'), ['away', 'provider_error']],
    [503, deepgram('SERVICE_UNAVAILABLE', 'Please try again later.'), ['away', 'provider_unavailable']],
  ],
  compatible: [
    // Azure
    [
      429,
      {
        error: {
          code: '429',
          message:
            'Requests to the ChatCompletions_Create Operation have exceeded the token rate limit of your pricing tier. Please retry after 6 seconds.',
        },
      },
      ['slow_down', 'provider_rate_limited', 6_000],
    ],
    [
      401,
      { error: { code: '401', message: 'Access denied due to invalid subscription key or wrong API endpoint.' } },
      ['stopped', 'provider_auth', null, 'key'],
    ],
    [
      404,
      { error: { code: 'DeploymentNotFound', message: 'The API deployment for this resource does not exist.' } },
      ['never', 'model_not_found'],
    ],
    // vLLM
    [401, { error: 'Unauthorized' }, ['stopped', 'provider_auth', null, 'key']],
    [
      500,
      { error: { message: 'EngineCore encountered an issue.', type: 'InternalServerError', code: 500 } },
      ['away', 'provider_error'],
    ],
    // Ollama
    [
      503,
      { error: 'server busy, please try again.  maximum pending requests exceeded' },
      ['slow_down', 'provider_unavailable'],
    ],
    [400, { error: '"gemma" does not support tools' }, ['never', 'invalid_request']],
    [500, { error: 'llama runner process has terminated: exit status 2' }, ['away', 'provider_error']],
    // llama.cpp
    [
      503,
      { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } },
      ['away', 'provider_unavailable'],
    ],
    [
      503,
      { error: { code: 503, message: 'no slot available', type: 'unavailable_error' } },
      ['slow_down', 'provider_unavailable'],
    ],
    [
      501,
      { error: { code: 501, message: 'This server does not support embeddings.', type: 'not_supported_error' } },
      ['never', 'invalid_request'],
    ],
    // OpenRouter
    [
      402,
      { error: { message: 'Insufficient credits', code: 402 } },
      ['stopped', 'provider_rate_limited', null, 'credit'],
    ],
    [
      429,
      { error: { message: 'Provider returned error', code: 429, metadata: { raw: 'rate-limited upstream' } } },
      ['slow_down', 'provider_rate_limited'],
    ],
    [404, { error: { message: 'No endpoints found for x/y.', code: 404 } }, ['never', 'model_not_found']],
    // A proxy with the draft of the IETF
    [
      429,
      'Too Many Requests',
      ['slow_down', 'provider_rate_limited', 30_000],
      { ratelimit: '"default";r=0;t=30', 'ratelimit-policy': '"default";q=100;w=60' },
    ],
    [405, '', ['never', 'provider_error']],
  ],
};

describe.each(Object.keys(CASES))('%s', (provider) => {
  test.each(CASES[provider] ?? [])('%d %j', (statusCode, body, expected, responseHeaders = {}) => {
    const [failureClass, code, retryAfterMs = null, stopReason = null] = expected;
    const responseBody = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = { message: '', url: 'https://host/v1', requestBodyValues: {}, statusCode, responseHeaders };
    const failure = toFailure(new APICallError({ ...answer, responseBody }), { provider, secrets: [] });
    const retryAfterS = retryAfterMs === null ? null : retryAfterMs / 1000;
    expect(failure).toMatchObject({
      error: { code },
      class: failureClass,
      stopReason,
      retryAfterMs,
      retryAfterS,
      providerFailed: failureClass !== 'never' || code === 'provider_error',
    });
  });
});

const systemError = (code: string) => Object.assign(new Error(`read ${code}`), { code });
const request = { message: 'Cannot connect to API', url: '', requestBodyValues: {} };

test.each([
  ['ECONNREFUSED', 'provider_unavailable', 503],
  ['ENOTFOUND', 'provider_unavailable', 503],
  ['EAI_AGAIN', 'provider_unavailable', 503],
  ['CERT_HAS_EXPIRED', 'provider_unavailable', 503],
  ['ECONNRESET', 'provider_unavailable', 502],
  ['EPIPE', 'provider_unavailable', 502],
])('%s before the answer', (system, code, status) => {
  const cause = new TypeError('fetch failed', { cause: systemError(system) });
  for (const thrown of [cause, new APICallError({ ...request, cause })])
    expect(toFailure(thrown, { provider: 'openai', secrets: [] })).toMatchObject({
      error: { code, status, message: expect.stringContaining(system) },
      class: 'away',
    });
});

test('a connection that breaks within the answer is a failure of the provider, rather than an outage', () => {
  const cause = systemError('ECONNRESET');
  for (const thrown of [cause, new APICallError({ ...request, statusCode: 200, cause })])
    expect(toFailure(thrown, { provider: 'openai', secrets: [] })).toMatchObject({
      error: { code: 'provider_error', status: 502 },
      class: 'away',
    });
});
