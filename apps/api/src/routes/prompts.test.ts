import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

test('creates, lists, changes, and deletes prompts', async () => {
  const body = { name: ' Summary ', content: 'Summarize {{text}} in {{language}}.' };
  const made = (await api.call('POST', '/prompts', { body })).body;
  expect(made).toMatchObject({ id: expect.stringMatching(/^prm_/), object: 'prompt', name: 'Summary' });
  const path = `/prompts/${made.id}`;
  expect((await api.call('PATCH', path, { body: { content: 'Shorter: {{text}}' } })).body).toMatchObject({
    name: 'Summary',
    content: 'Shorter: {{text}}',
  });
  expect((await api.call('GET', '/prompts')).body.data).toMatchObject([{ id: made.id }]);
  expect((await api.call('DELETE', path)).body).toEqual({ id: made.id, object: 'prompt', deleted: true });
  expect((await api.call('GET', path)).status).toBe(404);
  const [entry] = (await api.call('GET', '/audit?action=prompt.deleted')).body.data;
  expect(entry).toMatchObject({ target: { type: 'prompt', id: made.id } });
});

test('names the field of a prompt that is wrong', async () => {
  const paths = async (method: string, path: string, body: object) =>
    (await api.call(method, path, { body })).body.error.details.map((one: { path: string }) => one.path);
  expect(await paths('POST', '/prompts', { name: ' ', text: 'x' })).toEqual(
    expect.arrayContaining(['body.name', 'body.content']),
  );
  const { id } = (await api.call('POST', '/prompts', { body: { name: 'a', content: 'b' } })).body;
  expect(await paths('PATCH', `/prompts/${id}`, { content: '' })).toEqual(['body.content']);
  expect(await paths('PATCH', `/prompts/${id}`, {})).toEqual(['body']);
});
