import { newId } from '@chorus/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';
import { publishChatModels } from '../test-chat.ts';
import { freshPerson } from '../test-people.ts';

const WORDS = 'words that nobody else is to see';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ DEFAULT_MODEL: 'embedded/assistant', PUBLIC_URL: 'https://chorus.example.com/base' });
  await publishChatModels(api, ['embedded/assistant']);
});
afterAll(() => api.stop());

/** Sends a request like a browser behind the proxy of `PUBLIC_URL`. */
const open = (path: string, init: RequestInit = {}) => fetch(api.url + path, { redirect: 'manual', ...init });

const ticketOf = async (headers: Record<string, string> = {}) =>
  (await api.call('POST', '/queues/tickets', { headers })).body;

async function enter(headers?: Record<string, string>): Promise<{ answer: Response; cookie: string }> {
  const { ticket } = await ticketOf(headers);
  const answer = await open(`/queues/enter?ticket=${ticket}`);
  return { answer, cookie: String(answer.headers.get('set-cookie')?.split(';')[0]) };
}

test('exchanges a ticket for a cookie once, for these pages only', async () => {
  const { ticket, url } = await ticketOf();
  expect(url).toBe(`https://chorus.example.com/base/queues/enter?ticket=${ticket}`);
  const answer = await open(`/queues/enter?ticket=${ticket}`);
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/base/queues/']);
  const [cookie = '', ...attributes] = String(answer.headers.get('set-cookie')).split('; ');
  expect(attributes.filter((one) => !/^(Max-Age|Expires)=/.test(one)).sort()).toEqual(
    ['HttpOnly', 'Path=/base/queues', 'SameSite=Strict', 'Secure'].sort(),
  );
  expect((await open('/queues/', { headers: { cookie } })).status).toBe(200);
  expect((await open('/api/v1/me', { headers: { cookie, 'x-scope-type': 'personal' } })).status).toBe(401);
  expect((await open(`/queues/enter?ticket=${ticket}`)).status).toBe(401);
});

test('shows nothing without a valid session', async () => {
  const { email, password } = api.login;
  const { body: login } = await api.call('POST', '/auth/login', {
    headers: { authorization: null },
    body: { email, password },
  });
  const authorization = `Bearer ${login.access_token}`;
  const { cookie } = await enter({ authorization });
  const asked = (path: string, headers: Record<string, string> = {}) => open(path, { headers });
  expect((await asked('/queues/api/queues?page=1&jobsPerPage=10', { cookie })).status).toBe(200);
  await api.call('POST', '/auth/logout', { headers: { authorization } });
  await expect.poll(async () => (await asked('/queues/', { cookie })).status).toBe(401);

  for (const path of [
    '/queues',
    '/queues/',
    '/queues/api/queues',
    '/queues/static/favicon.ico',
    '/queues/queue/text',
  ]) {
    expect((await asked(path)).status, path).toBe(401);
    expect((await asked(path, { cookie: 'chorus_queues=x.y.z' })).status, path).toBe(401);
  }
  const page = await asked('/queues/', { accept: 'text/html' });
  expect([page.status, await page.text()]).toEqual([401, expect.stringContaining('href="/base/jobs"')]);
  const { token } = await freshPerson(api);
  expect((await api.call('POST', '/queues/tickets', { headers: { authorization: `Bearer ${token}` } })).status).toBe(
    403,
  );
});

test('is read-only', async () => {
  const { cookie } = await enter();
  const paths = ['pause', 'resume', 'text/pause', 'text/empty', 'text/add', 'text/retry/failed', 'text/job_x/promote'];
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    for (const path of paths) {
      const answer = await open(`/queues/api/queues/${path}`, { method, headers: { cookie } });
      expect([answer.status, answer.headers.get('allow')], `${method} ${path}`).toEqual([405, 'GET, HEAD']);
    }
  }
  expect(await api.services.dispatcher.queueOf('text').isPaused()).toBe(false);
});

test('shows jobs with their ids, and without their content', async () => {
  const { body: execution } = await api.call('POST', '/chat/completions', {
    headers: { prefer: 'respond-async' },
    body: { messages: [{ role: 'user', content: WORDS }] },
  });
  const malformed = newId('job');
  await api.services.dispatcher
    .queueOf('text')
    .add('chat.completion', { input: { x: WORDS } } as never, { jobId: malformed });
  const { cookie } = await enter();
  const read = async (path: string) => (await open(`/queues/api/${path}`, { headers: { cookie } })).text();
  const list = await read('queues?activeQueue=text&status=latest&page=1&jobsPerPage=10');
  const { queues } = JSON.parse(list);
  expect(queues.map(({ name }: { name: string }) => name).sort()).toEqual([
    'knowledge',
    'media',
    'text',
    'vision',
    'voice',
  ]);
  const text = queues.find(({ name }: { name: string }) => name === 'text');
  expect(text).toMatchObject({ readOnlyMode: true, counts: { waiting: 1 } });
  const shown = text.jobs.find(({ id }: { id: string }) => id === execution.id);
  expect(shown).toMatchObject({ name: 'chat.completion', data: { owner: { scope: 'personal' } } });
  expect(text.jobs.find(({ id }: { id: string }) => id === malformed)).toMatchObject({ data: { malformed: true } });

  const job = `queues/text/${execution.id}`;
  const rest = [
    'redis/stats',
    'job-schedulers',
    'queues/text/workers',
    'queues/text/metrics',
    job,
    `${job}/logs`,
    `${job}/flow`,
  ];
  for (const path of rest) expect(await read(path), path).not.toContain('INTERNAL_SERVER_ERROR');
  for (const answer of [list, ...(await Promise.all(rest.map(read)))]) expect(answer).not.toContain('nobody else');
});

test('loads the page and its files from this server only', async () => {
  const { cookie } = await enter();
  const page = await open('/queues/queue/text', { headers: { cookie, accept: 'text/html' } });
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
  const html = await page.text();
  expect(html).toContain('<base href="/base/queues/" />');
  expect(html).not.toMatch(/https?:|<style|style=|<%/);
  const files = [...html.matchAll(/(?:src|href)="(static\/[^"]+)"/g)].map(([, path]) => path);
  expect(files.length).toBeGreaterThan(4);
  for (const path of files) {
    const file = await open(`/queues/${path}`, { headers: { cookie } });
    expect([file.status, file.headers.get('x-content-type-options')], path).toEqual([200, 'nosniff']);
    await file.body?.cancel();
  }
  expect((await open('/queues/static/../../package.json', { headers: { cookie } })).status).toBe(404);
});
