import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';

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
    'a workspace that is no UUID',
    { 'x-scope-type': 'workspace', 'x-workspace-id': 'mine' },
    422,
    'invalid_scope',
    'headers.x-workspace-id',
  ],
  ['an unknown workspace', { 'x-scope-type': 'workspace', 'x-workspace-id': WORKSPACE }, 403, 'workspace_forbidden'],
  ['an unknown agent', { 'x-agent-id': 'agt_x' }, 422, 'invalid_header', 'headers.x-agent-id'],
  [
    'an unknown agent in an unknown workspace: 422 comes before 403',
    { 'x-scope-type': 'workspace', 'x-workspace-id': WORKSPACE, 'x-agent-id': 'agt_x' },
    422,
    'invalid_header',
  ],
  [
    'no credential and no scope: 401 comes before 422',
    { authorization: null, 'x-scope-type': null },
    401,
    'unauthorized',
  ],
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
])('at login the scope may be absent, and is checked when sent: %s', async (_name, headers, status) => {
  const answer = await api.call('POST', '/auth/login', {
    body: api.login,
    headers: { authorization: null, ...headers },
  });
  expect(answer.status).toBe(status);
  if (status === 422) expect(answer.body.error.code).toBe('invalid_scope');
});

test('every answer carries the request id: the caller’s if it is sane, else a new one', async () => {
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

test('answers say what browsers may not do with them, and nothing of what serves them', async () => {
  const { headers } = await api.call('GET', '/me');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-powered-by')).toBeNull();
});

test('scripts of a configured origin may call and read our headers; others may not', async () => {
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
