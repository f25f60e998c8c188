import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ PUBLIC_URL: 'https://chorus.example.com/base' });
});
afterAll(() => api.stop());

const get = async (path: string) => (await api.call('GET', path)) as { status: number; headers: Headers; body: string };

test('serves every page of the sidebar, whose links lead to pages, headings, and files that exist', async () => {
  const first = await get('/docs');
  expect(first.status).toBe(200);
  const links = [...first.body.matchAll(/<li><a href="\/base(\/docs[^"#]*)"/g)].map(([, path]) => path ?? '');
  expect(links.length).toBeGreaterThan(25);
  const pages = new Map<string, string>([['/docs', first.body]]);
  for (const path of links) {
    const { status, headers, body } = await get(path);
    expect([path, status, headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8']);
    pages.set(path, body);
  }
  const files = new Set<string>();
  for (const [path, body] of pages)
    for (const [, href = ''] of body.matchAll(/(?:href|src)="(?!https?:)([^"]+)"/g)) {
      const [file = '', anchor] = href.split('#', 2);
      const target = file === '' ? path : file.replace('/base', '');
      const page = pages.get(target);
      if (page === undefined) files.add(target);
      else if (anchor) expect([path, href, page.includes(`id="${anchor}"`)]).toEqual([path, href, true]);
    }
  expect([...files].sort()).toEqual(['/', '/docs/api', '/docs/favicon.png', '/docs/site.css', '/docs/site.js']);
  for (const file of [...files].filter((path) => path !== '/')) expect((await get(file)).status).toBe(200);
});

test('has no inline script or style, and shows raw HTML as text', async () => {
  const { headers, body } = await get('/docs/configuration');
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
  expect(policy).not.toMatch(/unsafe|https?:/);
  expect(body).not.toMatch(/ style=| on\w+=|<style|<script(?! src="\/base\/docs\/site\.js")/);
  expect(body).toContain('<h2 id="limits-per-user">Limits per user</h2>');
  expect(body).toContain('<a href="/base/docs/models">Connect a model</a>');
  expect(body).toContain('aria-current="page">Configuration</a>');
});

test('has the text of each section for the search', async () => {
  const { body, headers } = await api.call('GET', '/docs/search.json', { headers: { 'accept-encoding': 'gzip' } });
  expect(headers.get('content-encoding')).toBe('gzip');
  const found = body.filter(({ text }: { text: string }) => text.includes('RETENTION_AUDIT_MS'));
  expect(found).toContainEqual({
    url: '/base/docs/users#audit-log',
    page: 'Users, keys, and roles',
    heading: 'Audit log',
    text: expect.stringContaining('lists logins, keys, roles'),
  });
});

test('is part of the image', async () => {
  const ignored = (await readFile(new URL('../../../../.dockerignore', import.meta.url), 'utf8')).split('\n');
  // Only the README shows the pictures.
  expect(ignored.filter((line) => /docs|\.md/.test(line))).toEqual(['docs/images']);
});

test('answers unknown pages as the API does', async () => {
  for (const path of ['/docs/nothing', '/docs/../package.json', '/docs/design/nothing.js', '/docs/constructor'])
    expect([path, (await get(path)).status]).toEqual([path, 404]);
});
