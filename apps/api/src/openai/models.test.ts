import { NO_ACTOR } from '@chorus/contract';
import OpenAI, { AuthenticationError, NotFoundError, PermissionDeniedError, RateLimitError } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';
import { publishModels } from '../test-chat.ts';
import { boundKey, freshPerson, freshWorkspace, type Person } from '../test-people.ts';

let api: TestApi;
let person: Person;
let workspace: string;
let bound: string;

beforeAll(async () => {
  api = await startTestApi();
  await publishModels(api, 'text', { 'openai/gpt-4o': ['chat'], 'groq/llama': ['chat'], 'mistral/llama': ['chat'] });
  await publishModels(api, 'media', { 'fal/fal-ai/flux/dev': ['image'] });
  person = await freshPerson(api);
  workspace = await freshWorkspace(api, await freshPerson(api), [[person, 'editor']]);
  bound = await boundKey(api, person, workspace);
});
afterAll(() => api.stop());

const client = (apiKey: string) => new OpenAI({ baseURL: `${api.url}/openai/v1`, apiKey, maxRetries: 0 });

/** Calls the surface with only these headers. */
const ask = (path: string, headers: Record<string, string>, method = 'GET') =>
  api.call(method, `/openai/v1${path}`, { headers: { authorization: null, 'x-scope-type': null, ...headers } });

const gpt = { id: 'openai/gpt-4o', object: 'model', created: 1_700_000_000, owned_by: 'openai' };

test("the list has OpenAI's fields and no other", async () => {
  const { body } = await ask('/models', { authorization: `Bearer ${person.fullKey}` });
  expect(Object.keys(body)).toEqual(['object', 'data']);
  expect(body.data).toContainEqual(gpt);
  const listed = (await client(person.fullKey).models.list()).data;
  expect(listed.map(({ id }) => id)).toEqual(['fal/fal-ai/flux/dev', 'groq/llama', 'mistral/llama', 'openai/gpt-4o']);
});

test.each(['openai/gpt-4o', 'openai%2Fgpt-4o', 'gpt-4o'])('finds the model %s', async (name) => {
  const answer = await ask(`/models/${name}`, { 'x-api-key': person.readKey });
  expect([answer.status, answer.body]).toEqual([200, gpt]);
});

test("OpenAI's client finds models by their encoded ids", async () => {
  expect(await client(person.fullKey).models.retrieve('openai/gpt-4o')).toEqual(gpt);
  expect((await client(bound).models.retrieve('fal-ai/flux/dev')).id).toBe('fal/fal-ai/flux/dev');
});

test.each(['openai/none', 'llama', '', '%00', 'x'.repeat(300)])('does not find the model %j', async (name) => {
  const answer = await ask(`/models/${name === '' ? '%20' : name}`, { authorization: `Bearer ${person.fullKey}` });
  expect([answer.status, answer.body]).toEqual([
    404,
    { error: { message: 'There is no such model.', type: 'not_found_error', param: null, code: 'not_found' } },
  ]);
});

describe('the scope', () => {
  const other = '00000000-0000-4000-8000-000000000000';
  test.each([
    ['an unbound key', () => person.fullKey, {}, 200],
    ['an unbound key in personal scope', () => person.fullKey, { 'x-scope-type': 'personal' }, 200],
    ['an unbound key in a workspace', () => person.fullKey, { 'x-scope-type': 'workspace' }, 422],
    ['an unbound key with a workspace', () => person.fullKey, { 'x-workspace-id': '' }, 422],
    ['a bound key', () => bound, {}, 200],
    ['a bound key in its workspace', () => bound, { 'x-scope-type': 'workspace', 'x-workspace-id': '' }, 200],
    ['a bound key with its workspace', () => bound, { 'x-workspace-id': '' }, 200],
    ['a bound key in personal scope', () => bound, { 'x-scope-type': 'personal' }, 422],
    ['a bound key in another workspace', () => bound, { 'x-workspace-id': other }, 422],
    ['a login', () => person.token, {}, 200],
    ['a login in a workspace', () => person.token, { 'x-scope-type': 'workspace', 'x-workspace-id': '' }, 200],
    ['a login with a workspace', () => person.token, { 'x-workspace-id': '' }, 200],
    ['a login in an unknown workspace', () => person.token, { 'x-workspace-id': other }, 403],
    ['a login with an unknown scope', () => person.token, { 'x-scope-type': 'x' }, 422],
    ['an unknown agent', () => bound, { 'x-agent-id': 'agt_x' }, 422],
  ] as const)('of %s', async (_name, secret, headers, status) => {
    const given = Object.entries(headers).map(([name, value]) => [name, value === '' ? workspace : value]);
    const answer = await ask('/models', { authorization: `Bearer ${secret()}`, ...Object.fromEntries(given) });
    expect(answer.status).toBe(status);
    if (status === 422)
      expect(answer.body.error).toMatchObject({
        type: 'invalid_request_error',
        param: expect.stringMatching(/^headers\.x-/),
      });
  });
});

describe("errors have OpenAI's shape", () => {
  const key = () => ({ authorization: `Bearer ${person.fullKey}` });
  const shape = { message: expect.any(String), param: null };

  test('of unknown paths and methods, also for browsers', async () => {
    for (const path of ['', '/nothing', '/modelsx', '/chat/completions/x'])
      expect((await ask(path, { ...key(), accept: 'text/html' })).body).toEqual({
        error: { ...shape, type: 'not_found_error', code: 'route_not_found' },
      });
    const answer = await ask('/models', key(), 'DELETE');
    expect([answer.status, answer.headers.get('allow'), answer.body]).toEqual([
      405,
      'GET, HEAD, OPTIONS',
      { error: { ...shape, type: 'invalid_request_error', code: 'method_not_allowed' } },
    ]);
    expect((await ask('/models/x', key(), 'POST')).status).toBe(405);
    expect((await ask('/models/%E0', key())).body.error.type).toBe('not_found_error');
  });

  test('of credentials', async () => {
    const answer = await ask('/models', { authorization: 'Bearer chk_wrong', 'x-request-id': 'mine' });
    expect([answer.status, answer.headers.get('x-request-id'), answer.body]).toEqual([
      401,
      'mine',
      { error: { ...shape, type: 'authentication_error', code: 'unauthorized' } },
    ]);
    await expect(client('chk_wrong').models.list()).rejects.toBeInstanceOf(AuthenticationError);
    await expect(client(person.fullKey).models.retrieve('openai/none')).rejects.toBeInstanceOf(NotFoundError);
    const wanted = { name: 'x', permissions: ['run'] as ['run'] };
    const { secret } = await api.services.accounts.apiKeys.create(NO_ACTOR, { id: person.id, operator: false }, wanted);
    await expect(client(secret).models.list()).rejects.toBeInstanceOf(PermissionDeniedError);
  });

  test('of rate limits', async () => {
    const wanted = { name: 'x', permissions: ['read'] as ['read'], rate_limit: 1 };
    const { secret } = await api.services.accounts.apiKeys.create(NO_ACTOR, { id: person.id, operator: false }, wanted);
    await client(secret).models.list();
    const error = await client(secret)
      .models.list()
      .then(undefined, (thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ status: 429, type: 'rate_limit_error', code: 'rate_limited', param: null });
    expect((error as RateLimitError).headers.get('ratelimit-policy')).toBeTruthy();
  });
});
