import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';
import { freshPerson, PASSWORD } from '../test-people.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ CORS_ORIGINS: 'https://console.example.com' });
});
afterAll(() => api.stop());

const WORKSPACE = '6f1c9a52-3d0e-4b57-9a38-0c9e5a2f7b11';

test.each<[string, Record<string, string | null>, number, string, string?]>([
  ['no scope', { 'x-scope-type': null }, 422, 'invalid_scope', 'headers.x-scope-type'],
  ['an empty scope', { 'x-scope-type': '' }, 422, 'invalid_scope', 'headers.x-scope-type'],
  ['an unknown scope', { 'x-scope-type': 'team' }, 422, 'invalid_scope', 'headers.x-scope-type'],
  ['a scope in capitals', { 'x-scope-type': 'Personal' }, 422, 'invalid_scope', 'headers.x-scope-type'],
  ['two scopes', { 'x-scope-type': 'personal, workspace' }, 422, 'invalid_scope', 'headers.x-scope-type'],
  ['personal with a workspace', { 'x-workspace-id': WORKSPACE }, 422, 'invalid_scope', 'headers.x-workspace-id'],
  ['a workspace without its id', { 'x-scope-type': 'workspace' }, 422, 'invalid_scope', 'headers.x-workspace-id'],
  [
    'a workspace that is not a UUID',
    { 'x-scope-type': 'workspace', 'x-workspace-id': 'mine' },
    422,
    'invalid_scope',
    'headers.x-workspace-id',
  ],
  ['an unknown workspace', { 'x-scope-type': 'workspace', 'x-workspace-id': WORKSPACE }, 403, 'workspace_forbidden'],
  ['an unknown agent', { 'x-agent-id': 'agt_x' }, 422, 'invalid_header', 'headers.x-agent-id'],
  [
    'an unknown agent in an unknown workspace: 422 before 403',
    { 'x-scope-type': 'workspace', 'x-workspace-id': WORKSPACE, 'x-agent-id': 'agt_x' },
    422,
    'invalid_header',
  ],
  ['no credential and no scope: 401 before 422', { authorization: null, 'x-scope-type': null }, 401, 'unauthorized'],
])('%s', async (_name, headers, status, code, path) => {
  for (const [method, route] of [
    ['GET', '/sessions'],
    ['POST', '/sessions'],
    ['GET', '/sessions/malformed'],
    ['GET', '/chat/health'],
    ['POST', '/chat/completions'],
  ] as const) {
    const body = method === 'POST' ? { unknown: 1 } : undefined;
    const answer = await api.call(method, route, { headers, body });
    expect([route, answer.status, answer.body.error.code]).toEqual([route, status, code]);
    if (path) expect(answer.body.error.details[0].path).toBe(path);
  }
});

test.each<[string, Record<string, string | null>, number]>([
  ['absent', { 'x-scope-type': null }, 200],
  ['personal', { 'x-scope-type': 'personal' }, 200],
  ['a workspace', { 'x-scope-type': 'workspace', 'x-workspace-id': WORKSPACE }, 200],
  ['unknown', { 'x-scope-type': 'team' }, 422],
  ['personal with a workspace', { 'x-workspace-id': WORKSPACE }, 422],
  ['a workspace alone', { 'x-scope-type': null, 'x-workspace-id': WORKSPACE }, 422],
])('at login the scope is optional, but checked when sent: %s', async (_name, headers, status) => {
  const answer = await api.call('POST', '/auth/login', {
    body: api.login,
    headers: { authorization: null, ...headers },
  });
  expect(answer.status).toBe(status);
  if (status === 422) expect(answer.body.error.code).toBe('invalid_scope');
});

test('returns the request id: the caller’s if it is valid, else a new one', async () => {
  const mine = await api.call('GET', '/me', { headers: { 'x-request-id': 'trace-1' } });
  expect(mine.headers.get('x-request-id')).toBe('trace-1');
  for (const insane of ['x'.repeat(129), 'two words', 'naïve']) {
    const answer = await api.call('GET', '/me', { headers: { 'x-request-id': insane } });
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  }
  for (const path of ['/healthz', '/api/v1/nothing', '/docs']) {
    expect((await api.call('GET', path)).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  }
  const failed = await api.call('GET', '/nothing', { headers: { 'x-request-id': 'trace-2' } });
  expect(failed.body.error.request_id).toBe('trace-2');
});

test('restricts what browsers may do with responses, and hides the server software', async () => {
  const { headers } = await api.call('GET', '/me');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-powered-by')).toBeNull();
});

test('lets scripts of configured origins call and read our headers, and no others', async () => {
  const origin = 'https://console.example.com';
  const allowed = await api.call('GET', '/me', { headers: { origin } });
  expect(allowed.headers.get('access-control-allow-origin')).toBe(origin);
  expect(allowed.headers.get('access-control-expose-headers')).toMatch(/X-Request-ID.*Preference-Applied/);
  expect(allowed.headers.get('vary')).toContain('Origin');

  const failed = await api.call('GET', '/me', { headers: { origin, authorization: null } });
  expect(failed.headers.get('access-control-allow-origin')).toBe(origin);

  const foreign = await api.call('GET', '/me', { headers: { origin: 'https://evil.example.com' } });
  expect(foreign.headers.get('access-control-allow-origin')).toBeNull();

  const preflight = await api.call('OPTIONS', '/sessions', {
    headers: {
      origin,
      authorization: null,
      'x-scope-type': null,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization, x-scope-type, x-stainless-os',
    },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-methods')).toContain('PATCH');
  expect(preflight.headers.get('access-control-allow-headers')).toContain('x-stainless-os');
});

describe('headers for browsers', () => {
  test('isolate windows, and deny device access', async () => {
    const { headers } = await api.call('GET', '/me');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('permissions-policy')).toContain('microphone=()');
    expect(headers.get('strict-transport-security')).toBeNull();
  });

  test('allow the console the microphone, and nothing else', async () => {
    const page = await fetch(`${api.url}/`);
    expect(page.headers.get('permissions-policy')).toContain('microphone=(self)');
    expect(page.headers.get('permissions-policy')).toContain('camera=()');
  });
});

describe('behind a proxy', () => {
  let proxied: TestApi;
  beforeAll(async () => {
    proxied = await startTestApi({
      TRUST_PROXY: 'loopback',
      METRICS_TOKEN: 'a-token-of-metrics',
      RATE_LIMIT_ANONYMOUS: '3',
    });
  });
  afterAll(() => proxied.stop());
  const metrics = async (of: TestApi, headers: Record<string, string>) =>
    (await of.call('GET', '/metrics', { headers: { authorization: null, ...headers } })).status;

  test('requires HTTPS if the proxy says it was used', async () => {
    const hstsOf = async (of: TestApi, proto: string) =>
      (await of.call('GET', '/me', { headers: { 'x-forwarded-proto': proto } })).headers.get(
        'strict-transport-security',
      );
    expect(await hstsOf(proxied, 'https')).toBe('max-age=31536000');
    expect(await hstsOf(proxied, 'http')).toBeNull();
    expect(await hstsOf(api, 'https')).toBeNull();
  });

  test.each<[Record<string, string>, number]>([
    [{}, 200],
    [{ 'x-forwarded-for': '127.0.0.1' }, 200],
    [{ 'x-forwarded-for': '203.0.113.7' }, 401],
    [{ 'x-forwarded-for': '203.0.113.7, 127.0.0.1' }, 401],
    [{ 'x-forwarded-for': '127.0.0.1, 203.0.113.7' }, 401],
    [{ 'x-real-ip': '203.0.113.7' }, 401],
    [{ forwarded: 'for="[2001:db8::1]:4711";proto=http' }, 401],
    [{ forwarded: 'proto=http;for="[::1]:4711"' }, 200],
    [{ forwarded: 'by=127.0.0.1' }, 401],
    [{ 'x-forwarded-for': '203.0.113.7', authorization: 'Bearer wrong' }, 401],
    [{ 'x-forwarded-for': '203.0.113.7', authorization: 'Bearer a-token-of-metrics' }, 200],
  ])('metrics are open to this machine, and to holders of the token: %j', async (headers, status) => {
    expect(await metrics(proxied, headers)).toBe(status);
    // An untrusted client may claim to forward requests: then they do not come from this machine.
    if (headers.authorization === undefined) expect(await metrics(api, headers)).toBe(status);
    else expect(await metrics(api, headers)).toBe(401);
  });

  test.each([
    ['127.0.0.1', 200],
    ['[::1]:8080', 200],
    ['localhost:8080', 200],
    ['Chorus.localhost', 200],
    ['evil.example', 401],
    ['localhost.evil.example:8080', 401],
    ['127.0.0.1.evil.example', 401],
    ['203.0.113.7', 401],
  ])('metrics are not open to a page whose host name points to this machine: %s', async (host, status) => {
    const answer = request({
      host: '127.0.0.1',
      port: new URL(api.url).port,
      path: '/metrics',
      headers: { host },
    }).end();
    const [{ statusCode }] = (await once(answer, 'response')) as [IncomingMessage];
    expect(statusCode).toBe(status);
  });

  test('refuses an address that asks without a login too often, before reading the body', async () => {
    const login = (address: string, body: string) =>
      proxied.call('POST', '/auth/login', { body, headers: { authorization: null, 'x-forwarded-for': address } });
    for (const path of ['/auth/login', '/auth/refresh', '/invitations/accept'])
      await proxied.call('POST', path, {
        body: '{',
        headers: { authorization: null, 'x-forwarded-for': '2001:db8::1' },
      });
    const refused = await login('2001:db8::2', '{');
    expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited']);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await login('2001:db8:0:1::1', '{')).body.error.code).toBe('invalid_json');
  });
});

describe('pages of other sites', () => {
  const foreign = { authorization: null, origin: 'https://evil.example', 'x-forwarded-for': '203.0.113.50' };
  let shared: TestApi;
  let nextAddress = 0;
  beforeAll(async () => {
    shared = await startTestApi({
      TRUST_PROXY: 'loopback',
      RATE_LIMIT_ANONYMOUS: '3',
      CORS_ORIGINS: 'https://friend.example',
      PUBLIC_URL: 'https://chorus.example',
    });
  });
  afterAll(() => shared.stop());
  const from = (headers: Record<string, string | null>, path = '/auth/device') =>
    shared.call('POST', path, { headers: { authorization: null, ...headers } });

  test('cannot use up the limit of an address', async () => {
    for (const path of ['/auth/device', '/auth/login', '/auth/refresh', '/auth/oidc', '/invitations/accept'])
      for (const headers of [foreign, { ...foreign, 'sec-fetch-site': 'cross-site' }]) {
        const { status, body } = await from(headers, path);
        expect([status, body.error.code]).toEqual([403, 'forbidden']);
      }
    // Images and frames carry no origin.
    for (let i = 0; i < 5; i += 1)
      await fetch(`${shared.url}/api/v1/auth/oidc-callback?code=x&state=y`, {
        redirect: 'manual',
        headers: { 'sec-fetch-site': 'cross-site', 'x-forwarded-for': '203.0.113.50' },
      });
    expect((await from({ 'x-forwarded-for': '203.0.113.50' })).status).toBe(200);
  });

  test.each<[Record<string, string>, number]>([
    [{}, 200],
    [{ origin: 'https://chorus.example' }, 200],
    [{ origin: 'https://chorus.example', 'sec-fetch-site': 'same-origin' }, 200],
    [{ origin: 'https://friend.example', 'sec-fetch-site': 'cross-site' }, 200],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-site', origin: 'https://other.chorus.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ origin: 'https://chorus.example.evil.example' }, 403],
    [{ origin: 'https://chorus.example:8443' }, 403],
  ])('%j gets %i', async (headers, status) => {
    nextAddress += 1;
    const address = `203.0.113.${60 + nextAddress}`;
    expect((await from({ ...headers, 'x-forwarded-for': address })).status).toBe(status);
  });

  test('the OpenAPI document is limited apart from logins, and has a version', async () => {
    const headers = { authorization: null, 'x-forwarded-for': '203.0.113.55' };
    const first = await shared.call('GET', '/openapi.json', { headers });
    const tag = first.headers.get('etag') ?? '';
    const again = await shared.call('GET', '/openapi.json', { headers: { ...headers, 'if-none-match': tag } });
    const other = await shared.call('GET', '/openapi.json', { headers: { ...headers, 'if-none-match': '"x"' } });
    const refused = await shared.call('GET', '/openapi.json', { headers });
    expect([first, again, other, refused].map(({ status }) => status)).toEqual([200, 304, 200, 429]);
    expect((await from({ 'x-forwarded-for': '203.0.113.55' })).status).toBe(200);
  });

  test('real refreshes of an office do not count with guesses', async () => {
    const office = { authorization: null, 'x-forwarded-for': '203.0.113.90' };
    const refresh = (refresh_token: string, headers: Record<string, string | null> = office) =>
      shared.call('POST', '/auth/refresh', { body: { refresh_token }, headers });
    const person = await freshPerson(shared);
    const login = { email: person.email, password: PASSWORD };
    const tokens: string[] = [];
    for (let i = 0; i < 4; i += 1) {
      const elsewhere = { ...office, 'x-forwarded-for': `203.0.113.${91 + i}` };
      tokens.push((await shared.call('POST', '/auth/login', { body: login, headers: elsewhere })).body.refresh_token);
    }
    for (let i = 0; i < 3; i += 1) expect((await refresh('chr_guess')).status).toBe(401);
    expect((await refresh('chr_guess')).status).toBe(429);
    for (const token of tokens) expect((await refresh(token)).status).toBe(200);
  });
});
