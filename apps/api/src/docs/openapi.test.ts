import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../app.ts';
import { routes } from '../routes/index.ts';
import { startTestApi, type TestApi } from '../test-api.ts';
import { exampleName } from './openapi.ts';
import { REQUEST_EXAMPLES } from './request-examples.ts';

let api: TestApi;
// biome-ignore lint/suspicious/noExplicitAny: a document of any shape
let document: any;
beforeAll(async () => {
  api = await startTestApi({ PUBLIC_URL: 'https://chorus.example.com/base' });
  document = (await api.call('GET', '/openapi.json')).body;
});
afterAll(() => api.stop());

/** Pages for people, not part of the API. */
const UNDOCUMENTED = ['/docs/api', '/docs/search.json', '/docs{/*path}', '/{*path}'];

/** Fields of Express's router that its types lack. */
interface ListedApp {
  router: { listRoutes(): { path: string; methods?: string[] }[] };
}

test('documents exactly the routes that are served', () => {
  const { router } = createApp(api.services) as unknown as ListedApp;
  const served = router
    .listRoutes()
    .filter(({ path }) => !UNDOCUMENTED.includes(path))
    .flatMap(({ path, methods }) =>
      (methods ?? [])
        .filter((method) => method !== 'HEAD')
        .map((method) => `${method} ${path.replace(/[:*](\w+)/g, '{$1}')}`),
    );
  const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations as object).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(served.length).toBeGreaterThan(15);
  expect(documented.sort()).toEqual(served.sort());
});

test('describes every field and query parameter', () => {
  const bare: string[] = [];
  const look = (part: Record<string, unknown>, path: string) => {
    if (part.in === 'query' && part.description === undefined) bare.push(`${path} ${part.name}`);
    for (const [name, field] of Object.entries((part.properties ?? {}) as Record<string, { description?: string }>))
      if (!field.description) bare.push(`${path} ${name}`);
    for (const [key, inner] of Object.entries(part))
      if (typeof inner === 'object' && inner !== null) look(inner as Record<string, unknown>, `${path}/${key}`);
  };
  look(document, '');
  expect(bare).toEqual([]);
});

test('shows a valid example for each route that takes JSON, and for no other', () => {
  const named = routes
    .filter(({ body, file }) => body && (!file || file.as))
    .map((route) => [exampleName(route), route] as const);
  expect(Object.keys(REQUEST_EXAMPLES).sort()).toEqual(named.map(([name]) => name).sort());
  const mistakes = named.flatMap(([name, { body }]) =>
    (body?.safeParse(REQUEST_EXAMPLES[name]).error?.issues ?? []).map(({ path, message }) => [name, path, message]),
  );
  expect(mistakes).toEqual([]);
  const { requestBody } = document.paths['/api/v1/sessions'].post;
  expect(requestBody.content['application/json'].example).toEqual({ title: 'Trip to Oslo' });
});

test('is valid OpenAPI 3.1, and resolves every reference', async () => {
  expect(document.openapi).toBe('3.1.0');
  expect(document.servers).toEqual([{ url: 'https://chorus.example.com/base' }]);
  expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true });
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path ?? '');
  expect(references.length).toBeGreaterThan(20);
  for (const path of references) {
    const target = path.split('/').reduce((node, key) => node?.[key], document);
    expect(target, path).toBeDefined();
  }
});

test('says for every operation who may call it, what it returns, and how it fails', () => {
  const names = new Set<string>();
  for (const [path, operations] of Object.entries<Record<string, never>>(document.paths)) {
    // biome-ignore lint/suspicious/noExplicitAny: operations of any shape
    for (const operation of Object.values<any>(operations)) {
      names.add(operation.operationId);
      expect(operation.summary, path).toBeTruthy();
      expect(Object.keys(operation.responses[200].content).length, path).toBeGreaterThan(0);
      expect(operation.responses[500], path).toBeDefined();
      if (operation.security.length === 0) continue;
      const scopeType = /^\/(openai\/|anthropic\/|mcp$)/.test(path) ? 'OptionalScopeType' : 'ScopeType';
      expect(operation.parameters, path).toContainEqual({ $ref: `#/components/parameters/${scopeType}` });
      const unavailable = path.startsWith('/anthropic/') ? 529 : 503;
      for (const status of [401, 403, 422, 429, unavailable]) expect(operation.responses[status], path).toBeDefined();
    }
  }
  expect(names.size).toBe(Object.values<object>(document.paths).flatMap(Object.keys).length);
});

test('allows new fields in responses, not in requests', () => {
  expect(document.components.schemas.Session).not.toHaveProperty('additionalProperties', false);
  const body = document.paths['/api/v1/sessions'].post.requestBody;
  expect(body.content['application/json'].schema.additionalProperties).toBe(false);
  expect(body.required).toBe(false);
});

test('documents errors and headers that the declaration does not imply', () => {
  const responsesOf = (path: string, method: string) => document.paths[`/api/v1${path}`][method].responses;
  for (const status of [404, 502, 504]) expect(responsesOf('/chat/completions', 'post')).toHaveProperty(String(status));
  expect(responsesOf('/invitations/accept', 'post')).toHaveProperty('404');
  expect(responsesOf('/messages/{message_id}/undo', 'post')).toHaveProperty('400');
  expect(responsesOf('/messages/{message_id}', 'get')[200].headers).toMatchObject({ ETag: {}, RateLimit: {} });
  expect(responsesOf('/auth/login', 'post')[200].headers).not.toHaveProperty('RateLimit');
});

test('documents streams', () => {
  const { content } = document.paths['/api/v1/chat/completions'].post.responses[200];
  expect(content['text/event-stream'].schema).toEqual({ $ref: '#/components/schemas/StreamFrame' });
});

test('loads only files of this server, under the path that a proxy serves', async () => {
  const page = await api.call('GET', '/docs/api');
  expect(page.status).toBe(200);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
  expect(policy).not.toMatch(/unsafe|https?:/);
  const files = [...page.body.matchAll(/(?:src|href|data-document)="([^"]+)"/g)].map(([, file]) => file);
  expect(files.length).toBe(8);
  for (const file of files) {
    expect(file).toMatch(/^\/base\//);
    const { status } = await api.call('GET', file.replace('/base', ''));
    expect([file, status]).toEqual([file, 200]);
  }
  expect(page.body).toContain('id="errors-session_locked"');
});
