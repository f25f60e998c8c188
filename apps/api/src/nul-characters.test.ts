import { newId, type Owner } from '@chorus/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Route, servedPath } from './define-route.ts';
import { routes } from './routes/index.ts';
import { startTestApi, type TestApi } from './test-api.ts';
import { recordMakers } from './test-people.ts';
import { caseOf, ROUTE_CASES, type RouteCase } from './test-route-cases.ts';

let api: TestApi;
let owner: Owner;
beforeAll(async () => {
  api = await startTestApi({ DEFAULT_MODEL: 'embedded/assistant', RATE_LIMIT_ANONYMOUS: '100000' });
  owner = { scope: 'personal', user_id: (await api.call('GET', '/me')).body.id, workspace_id: null };
});
afterAll(() => api.stop());

/** Texts that stores and file systems may not support. */
const TEXTS = ['\0', 'a\0b', '\ufffe\uffff'];

/** The same for queries, which can't contain lone surrogates, but invalid UTF-8. */
const IN_QUERIES = ['%00', 'a%00b', '%ED%A0%80', '%FF', '%'];

/** Errors that would mean a failure on our side. A full queue is not one. */
const FAULTS = ['internal_error', 'store_unavailable'];

/** The soak tries all of them. Otherwise, one in `share`, which differ by route; each field has at least that many. */
function someOf<T>(trials: T[], route: Route, share = IN_QUERIES.length): T[] {
  if (process.env.CHORUS_SOAK) return trials;
  const shift = routes.indexOf(route);
  return trials.filter((_, at) => (at + shift) % share === 0);
}

const cases = routes
  .filter(({ query, body, file }) => query || body || file)
  .map((route) => [caseOf(route), route] as const);

describe.each(cases)('%s', (name, route) => {
  const kase = ROUTE_CASES[name] as RouteCase;

  let params: Record<string, string> | null = null;
  const call = async (body: unknown, query = '') => {
    params ??= await paramsOf(kase);
    const path = servedPath(route).replace(/:(\w+)/g, (_, key: string) => params?.[key] ?? newId('user'));
    const headers = { prefer: 'respond-async' };
    const answer = await api.call(route.method.toUpperCase(), path + query, { body, headers, endless: kase.endless });
    // It may have deleted or ended the record.
    if (answer.status < 400) params = null;
    return FAULTS.includes(answer.body?.error?.code) ? answer.body.error.code : 'fine';
  };

  if (route.query)
    test('accepts or refuses any text in a query', async () => {
      const trials = Object.keys(shapeOf(route.query)).flatMap((field) => IN_QUERIES.map((text) => [field, text]));
      for (const [field, text] of someOf(trials, route)) {
        const outcome = await call(undefined, `?${field}=${text}`);
        expect([field, text, outcome]).toEqual([field, text, 'fine']);
      }
    });

  if (route.body && !kase.uses)
    test('accepts or refuses any text in a body', async () => {
      for (const body of someOf([...bodiesOf(route, kase)], route)) {
        const outcome = await call(body);
        expect([body, outcome]).toEqual([body, 'fine']);
      }
    });

  if (route.file)
    test('accepts or refuses any text in a form', async () => {
      const fields = ['file name', ...Object.keys(shapeOf(route.body))];
      const trials = fields.flatMap((field) => TEXTS.map((text) => [field, text] as const));
      for (const [field, text] of someOf(trials, route, TEXTS.length)) {
        const form = new FormData();
        form.set(route.file?.parts?.[0] ?? 'file', new Blob(['words']), field === 'file name' ? text : 'words.txt');
        if (field !== 'file name') form.set(field, text);
        const outcome = await call(form);
        expect([field, text, outcome]).toEqual([field, text, 'fine']);
      }
    });
});

async function paramsOf({ record, path }: RouteCase): Promise<Record<string, string>> {
  const params: Record<string, string> = {};
  if (record) params[record.as] = (await recordMakers(api)[record.made](owner)) as string;
  if (path?.includes('workspace'))
    params.workspace_id = (await api.call('POST', '/workspaces', { body: { name: 'x' } })).body.id;
  return params;
}

/** Valid bodies, except for one text of each field. */
function* bodiesOf({ body: schema }: Route, { body: usual = {} }: RouteCase): Generator<object> {
  const own = typeof usual === 'object' ? usual : {};
  for (const text of TEXTS) {
    for (const field of Object.keys(shapeOf(schema)))
      for (const value of [text, [text], { [text]: text }, { a: text }]) yield { ...own, [field]: value };
    for (const field of Object.keys(shapeOf(schema))) yield { [field]: text };
    yield replaced(own, text) as object;
  }
}

/** Returns the value with each of its texts replaced. */
function replaced(value: unknown, text: string): unknown {
  if (typeof value === 'string') return text;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => replaced(one, text));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replaced(inner, text)]));
}

function shapeOf(schema: z.ZodType | undefined): Record<string, unknown> {
  if (schema instanceof z.ZodPipe) return shapeOf(schema.in as z.ZodType);
  return schema instanceof z.ZodObject ? schema.shape : {};
}
