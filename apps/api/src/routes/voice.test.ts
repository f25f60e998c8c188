import { newId } from '@chorus/contract';
import { CLIP_WEBM, TINY_PNG } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';
import { publishChatModels, publishModels } from '../test-chat.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
  await publishChatModels(api, ['embedded/assistant']);
  await publishModels(api, 'voice', { 'embedded/ear': ['transcription'], 'embedded/mouth': ['speech'] });
});
afterAll(() => api.stop());

const now = { headers: { prefer: 'respond-async' } };

function form(fields: Record<string, string>, file: Uint8Array<ArrayBuffer>): FormData {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) made.append(name, value);
  made.append('file', new Blob([file]), 'said');
  return made;
}

test('a turn is queued with its models chosen and its ids given', async () => {
  const agent = (await api.call('POST', '/agents', { body: { name: 'x', voice: 'alto', instructions: 'Be brief.' } }))
    .body;
  const answer = await api.call('POST', '/voice/chat', {
    body: { text: 'Hello', format: 'pcm' },
    headers: { ...now.headers, 'x-agent-id': agent.id },
  });
  expect(answer.body).toMatchObject({
    kind: 'voice.turn',
    surface: 'voice',
    status: 'queued',
    model: 'embedded/assistant',
  });
  const record = await api.services.database.executions.get(await ownerOf(), answer.body.id);
  expect(record?.input).toMatchObject({
    said: { type: 'text', text: 'Hello' },
    chat: { settings: { model: 'embedded/assistant', instructions: 'Be brief.' }, opens: true, agent_id: agent.id },
    speech: { model: 'embedded/mouth', voice: 'alto', format: 'pcm', stream: false },
  });
  expect(answer.body.session_id).toMatch(/^ses_/);

  const cancelled = await api.call('POST', `/jobs/${answer.body.id}/cancel`, { body: {} });
  expect(cancelled.body.status).toBe('cancelled');
  const again = await api.call('POST', `/jobs/${answer.body.id}/retry`, { body: {}, ...now });
  expect(again.body).toMatchObject({ kind: 'voice.turn', retry_of: answer.body.id, status: 'queued' });
  expect(again.body.session_id).not.toBe(answer.body.session_id);
});

test('a sound comes as a file or as an asset, in a container of sound or of film', async () => {
  const sent = await api.call('POST', '/voice/chat', { body: form({ voice: 'alto' }, CLIP_WEBM), ...now });
  expect(sent.body).toMatchObject({ kind: 'voice.turn', status: 'queued' });
  const record = await api.services.database.executions.get(await ownerOf(), sent.body.id);
  const asset_id = (await api.call('GET', '/assets')).body.data[0].id;
  expect(record?.input.said).toEqual({ type: 'audio', asset_id, model: 'embedded/ear' });
  const named = await api.call('POST', '/voice/chat', { body: { asset_id }, ...now });
  expect(named.body.status).toBe('queued');

  const picture = await api.call('POST', '/voice/chat', { body: form({}, TINY_PNG), ...now });
  expect([picture.status, picture.body.error.details[0].path]).toEqual([400, 'body.asset_id']);
  expect((await api.call('GET', '/assets')).body.data).toHaveLength(1);
});

test.each([
  [{}, 400, 'body.text'],
  [{ text: 'a', asset_id: newId('asset') }, 400, 'body.text'],
  [{ text: ' ' }, 400, 'body.text'],
  [{ text: 'a', format: 'midi' }, 400, 'body.format'],
  [{ text: 'a', speech_model: 'embedded/ear' }, 400, 'body.speech_model'],
  [{ text: 'a', model: 'embedded/none' }, 400, 'body.model'],
  [{ asset_id: newId('asset') }, 400, 'body.asset_id'],
  [{ text: 'a', session_id: newId('session') }, 404, undefined],
])('%j is refused: %i at %s', async (body, status, path) => {
  const answer = await api.call('POST', '/voice/chat', { body, ...now });
  expect([answer.status, answer.body.error.details[0]?.path]).toEqual([status, path]);
});

test('a session in which a turn runs is told of at once', async () => {
  const { body: turn } = await api.call('POST', '/chat/completions', { body: { message: 'Hi' }, ...now });
  const answer = await api.call('POST', '/voice/chat', { body: { text: 'a', session_id: turn.session_id }, ...now });
  expect([answer.status, answer.body.error]).toMatchObject([
    409,
    { code: 'session_locked', active_execution_id: turn.id },
  ]);
});

async function ownerOf() {
  const { id: user_id } = (await api.call('GET', '/me')).body;
  return { scope: 'personal', user_id, workspace_id: null } as const;
}
