import { expect, test } from 'vitest';
import { compileDocument } from './compile-document.ts';
import { compileInThread } from './compile-in-thread.ts';

const document = (fields: object) => JSON.stringify({ openapi: '3.1.0', ...fields });
const compile = (paths: object, components = {}) => compileDocument(document({ paths, components }));

test('operations become tools: names, effects, and one schema from parameters and body', () => {
  const { operations, server } = compileDocument(`
openapi: 3.0.3
servers:
  - url: https://{region}.example.org/v1
    variables: { region: { default: eu } }
paths:
  /orders/{id}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: string } }
      - { name: fields, in: query, schema: { type: array, items: { type: string } } }
    get: { operationId: getOrder, summary: Returns an order }
    put:
      operationId: orders.update
      requestBody: { $ref: '#/components/requestBodies/Order' }
    delete: {}
components:
  requestBodies:
    Order:
      required: true
      content:
        application/json: { schema: { $ref: '#/components/schemas/Order' } }
  schemas:
    Order:
      type: object
      properties:
        note: { type: string, example: left out }
        parent: { $ref: '#/components/schemas/Order' }
`);
  expect(server).toBe('https://eu.example.org/v1');
  expect(operations.map(({ name, method, effect }) => [name, method, effect])).toEqual([
    ['getOrder', 'GET', 'read'],
    ['orders_update', 'PUT', 'idempotent'],
    ['delete_orders_id', 'DELETE', 'idempotent'],
  ]);
  expect(operations[0]?.parameters.map(({ key, in: place, required }) => [key, place, required])).toEqual([
    ['id', 'path', true],
    ['fields', 'query', false],
  ]);
  // A recursive part accepts anything.
  const order = { type: 'object', properties: { note: { type: 'string' }, parent: {} } };
  expect(operations[1]?.body).toMatchObject({ kind: 'json', required: true, schema: order });
});

test('names are unique, and none is `body`', () => {
  const header = (name: string) => ({ name, in: 'header', schema: { type: 'string' } });
  const { operations } = compile({
    '/a': {
      get: {
        operationId: 'same',
        parameters: [header('X-A'), header('body')],
      },
      post: { operationId: 'same', responses: {} },
    },
  });
  expect(operations.map(({ name }) => name)).toEqual(['same', 'same_2']);
  expect(operations[0]?.parameters.map(({ key }) => key)).toEqual(['X-A', 'body_parameter']);
});

test('operations that cannot be called are left out with a warning', () => {
  const { operations, warnings } = compile(
    {
      '/ok': { get: {} },
      '/upload': { post: { requestBody: { required: true, content: { 'multipart/form-data': {} } } } },
      '/{missing}': { get: {} },
      '/foreign': { get: { parameters: [{ $ref: 'https://evil.example.org/p.json' }] } },
      '/file': { get: { parameters: [{ name: 'x', in: 'query', schema: { $ref: 'file:///etc/passwd' } }] } },
      '/circle': { get: { parameters: [{ $ref: '#/components/parameters/a' }] } },
      '/proto': { get: { parameters: [{ $ref: '#/__proto__/toString' }] } },
    },
    { parameters: { a: { $ref: '#/components/parameters/b' }, b: { $ref: '#/components/parameters/a' } } },
  );
  expect(operations.map(({ path }) => path)).toEqual(['/ok']);
  expect(warnings).toEqual([
    expect.stringMatching(/POST \/upload .*multipart\/form-data/),
    expect.stringMatching(/undeclared parameter `missing`/),
    expect.stringMatching(/must start with `#\/`/),
    expect.stringMatching(/must start with `#\/`/),
    expect.stringMatching(/circular/),
    expect.stringMatching(/leads nowhere/),
  ]);
});

test.each([
  ['{', /neither JSON nor YAML/],
  ['[]', /not an object/],
  ['swagger: "2.0"', /not OpenAPI 3/],
  ['openapi: 3.0.0', /no `paths`/],
  [document({ paths: {} }), /no operation/],
  [
    document({ paths: Object.fromEntries(Array.from({ length: 301 }, (_, at) => [`/${at}`, { get: {} }])) }),
    /more than 300/,
  ],
])('refuses %.40s', (text, message) => {
  expect(() => compileDocument(text)).toThrow(message);
});

const bomb = `a: &a [x, x, x, x, x, x, x, x, x, x]
${['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((name, at) => `${name}: &${name} [${Array(10).fill(`*${'abcdefgh'[at]}`)}]`).join('\n')}
openapi: 3.0.0`;
test.each([
  ['aliases that multiply', bomb],
  [
    'deep JSON',
    document({
      paths: { '/x': { get: { parameters: [{ name: 'x', in: 'query', schema: { default: 0 } }] } } },
    }).replace('"default":0', `"default":${'['.repeat(400_000)}${']'.repeat(400_000)}`),
  ],
  ['deep YAML', `openapi: 3.0.0\npaths: ${'['.repeat(20_000)}`],
])('%s are refused by the thread', async (_what, text) => {
  const compiling = compileInThread(text, 'body.document', 'ada');
  await expect(compiling.then(({ api }) => api.operations.length)).rejects.toMatchObject({ code: 'invalid_request' });
});

test('wide schemas cost little, since each operation has a budget', async () => {
  const schemas = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [
      `s${at}`,
      { type: 'object', properties: { a: ref(at + 1), b: ref(at + 1), c: ref(at + 1) } },
    ]),
  );
  const body = { content: { 'application/json': { schema: ref(0) } } };
  const text = document({
    paths: { '/x': { post: { requestBody: body } } },
    components: { schemas: { ...schemas, s30: {} } },
  });
  const { api, compiled } = await compileInThread(text, 'body.document', 'ada');
  expect(api.operations.length + api.warnings.length).toBe(1);
  expect(compiled.length).toBeLessThan(100_000);
}, 20_000);

const ref = (at: number) => ({ $ref: `#/components/schemas/s${at}` });

test('users take turns, and one of them cannot fill the line', async () => {
  const text = document({ paths: { '/x': { get: {} } } });
  const done: string[] = [];
  const compile = (user: string, name: string) =>
    compileInThread(text, 'body.document', user).then(
      () => done.push(name),
      ({ code }) => done.push(`${name} ${code}`),
    );
  const ada = Array.from({ length: 7 }, (_, at) => compile('ada', `a${at + 1}`));
  const others = [compile('bo', 'b1'), compile('cy', 'c1')];
  await Promise.all([...ada, ...others]);
  expect(done[0]).toBe('a7 overloaded');
  expect(done.indexOf('b1')).toBeLessThan(done.indexOf('a3'));
  expect(done.indexOf('c1')).toBeLessThan(done.indexOf('a4'));
}, 60_000);
