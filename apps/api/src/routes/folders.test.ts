import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const call = (method: string, path: string, body?: object) => api.call(method, path, { body });
const titles = async (query: string) =>
  (await call('GET', `/sessions?${query}`)).body.data.map(({ title }: { title: string }) => title);

test('folders hold sessions, which outlive them', async () => {
  const made = (await call('POST', '/folders', { name: ' Travel ' })).body;
  expect(made).toMatchObject({ id: expect.stringMatching(/^fld_/), object: 'folder', name: 'Travel' });
  const { id } = (await call('POST', '/sessions', { title: 'Rome' })).body;
  await call('POST', '/sessions', { title: 'Taxes' });
  expect((await call('PATCH', `/sessions/${id}`, { folder_id: made.id })).body.folder_id).toBe(made.id);
  expect(await titles(`folder_id=${made.id}`)).toEqual(['Rome']);
  expect(await titles('')).toEqual(['Taxes', 'Rome']);
  expect((await call('POST', `/sessions/${id}/fork`, {})).body.folder_id).toBe(made.id);

  expect((await call('PATCH', `/folders/${made.id}`, { name: 'Trips' })).body.name).toBe('Trips');
  expect((await call('GET', '/folders')).body.data).toMatchObject([{ id: made.id, name: 'Trips' }]);
  expect((await call('DELETE', `/folders/${made.id}`)).status).toBe(200);
  expect((await call('GET', `/sessions/${id}`)).body.folder_id).toBeNull();
  expect((await call('DELETE', `/folders/${made.id}`)).status).toBe(404);

  const refused = await call('PATCH', `/sessions/${id}`, { folder_id: made.id });
  expect(refused.body.error).toMatchObject({ code: 'invalid_request', details: [{ path: 'body.folder_id' }] });
  expect((await call('POST', '/folders', { name: ' ' })).body.error.details).toMatchObject([{ path: 'body.name' }]);
});

test('archived sessions leave the list, but are found', async () => {
  const { id, updated_at } = (await call('POST', '/sessions', { title: 'Quarterly report' })).body;
  expect((await call('PATCH', `/sessions/${id}`, { archived: true })).body).toMatchObject({
    archived: true,
    updated_at,
  });
  expect(await titles('')).not.toContain('Quarterly report');
  expect(await titles('archived=true')).toEqual(['Quarterly report']);
  expect(await titles('q=quarterly')).toEqual(['Quarterly report']);
  await call('PATCH', `/sessions/${id}`, { archived: false });
  expect(await titles('archived=true')).toEqual([]);
});
