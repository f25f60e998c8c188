import { assetFactsOf } from '@chorus/assets';
import { KINDS, newId, type RunningEvent } from '@chorus/contract';
import { type PlannedTurn, startTurn } from '@chorus/conversations';
import type { ExecutionRecord, Outcome } from '@chorus/database';
import { cancelledOutcome, closeLog, settle } from '@chorus/executions';
import { chatTurn } from '@chorus/jobs';
import { CLIP_WEBM, TINY_PNG } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';
import { publishChatModels, publishModels } from '../test-chat.ts';

const VOICE_TURN = KINDS['voice.turn'].input;

const VOICE = { model: 'embedded/mouth', id: 'alto', name: 'Alto', language: 'en-US' };

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
  await publishChatModels(api, ['embedded/assistant']);
  const models = { 'embedded/ear': ['transcription' as const], 'embedded/mouth': ['speech' as const] };
  await publishModels(api, 'voice', models, { voices: [VOICE] });
});
afterAll(() => api.stop());

const now = { headers: { prefer: 'respond-async' } };

function form(fields: Record<string, string>, file: Uint8Array<ArrayBuffer>): FormData {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) made.append(name, value);
  made.append('file', new Blob([file]), 'said');
  return made;
}

test('queues a turn with its models and ids', async () => {
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

test('a retried turn continues the session that it created', async () => {
  const { database } = api.services;
  const owner = await ownerOf();
  const { body } = await api.call('POST', '/voice/chat', { body: { text: 'Hello' }, ...now });
  const record = await database.executions.get(owner, body.id);
  const planned = record?.input.chat as PlannedTurn & { execution_id: string };
  const executionId = planned.execution_id;
  await startTurn(database, owner, { message: 'Hello', planned, executionId });
  await database.sessions.release(owner, planned.session_id, executionId);
  await api.call('POST', `/jobs/${body.id}/cancel`, { body: {} });

  const again = await api.call('POST', `/jobs/${body.id}/retry`, { body: {}, ...now });
  expect(again.body.session_id).toBe(body.session_id);
  const repeated = await database.executions.get(owner, again.body.id);
  expect(repeated?.input.chat).toMatchObject({ opens: false, session_id: body.session_id });
  expect(repeated?.input.chat).not.toMatchObject({ execution_id: executionId });
  expect(again.body.message_id).not.toBe(body.message_id);
});

test.each(['succeeded', 'failed'] as const)('a retry does not start a chat turn that has %s again', async (status) => {
  const { database, dispatcher } = api.services;
  const owner = await ownerOf();
  const { body } = await api.call('POST', '/voice/chat', { body: { text: 'Hello' }, ...now });
  const { chat } = VOICE_TURN.parse((await database.executions.get(owner, body.id))?.input);
  const { execution_id: id, settings, session_id, assistant_message_id } = chat;
  const turn = { type: 'message' as const, message: 'Hello', session_id: undefined, agent_id: null, planned: chat };
  const work = chatTurn(database, owner, settings, turn);
  await dispatcher.dispatch({ ...work, id, owner, requestId: null, apiKeyId: null, follow: false });
  await settle(database, { owner, id, attempt: null, outcome: { ...cancelledOutcome(), status } });
  await database.sessions.release(owner, session_id, id);
  await api.call('POST', `/jobs/${body.id}/cancel`, { body: {} });

  const again = await api.call('POST', `/jobs/${body.id}/retry`, { body: {}, ...now });
  expect(again.body).toMatchObject({ session_id, message_id: assistant_message_id });
  const repeated = VOICE_TURN.parse((await database.executions.get(owner, again.body.id))?.input);
  if (status === 'succeeded') expect(repeated.chat).toEqual({ ...chat, before: { type: 'begun' } });
  else {
    expect(repeated.chat).toMatchObject({ ...chat, execution_id: expect.any(String), opens: false });
    expect(repeated.chat.before).toEqual({ type: 'failed', execution_id: id });
    expect(repeated.chat.execution_id).not.toBe(id);
  }
});

test('accepts audio as a file or as an asset, in audio and video containers', async () => {
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
  [{ text: 'a', voice: 'unknown' }, 400, 'body.voice'],
  [{ text: 'a', speech_model: 'embedded/ear' }, 400, 'body.speech_model'],
  [{ text: 'a', model: 'embedded/none' }, 400, 'body.model'],
  [{ asset_id: newId('asset') }, 400, 'body.asset_id'],
  [{ text: 'a', session_id: newId('session') }, 404, undefined],
  [{ text: 'a', session_id: 'ses_none' }, 404, undefined],
])('%j is refused: %i at %s', async (body, status, path) => {
  const answer = await api.call('POST', '/voice/chat', { body, ...now });
  expect([answer.status, answer.body.error.details[0]?.path]).toEqual([status, path]);
});

test('refuses a session with a running turn at once', async () => {
  const { body: turn } = await api.call('POST', '/chat/completions', { body: { message: 'Hi' }, ...now });
  const answer = await api.call('POST', '/voice/chat', { body: { text: 'a', session_id: turn.session_id }, ...now });
  expect([answer.status, answer.body.error]).toMatchObject([
    409,
    { code: 'session_locked', active_execution_id: turn.id },
  ]);
});

test('streams audio as it is generated to clients that prefer it', async () => {
  const sounds = [Buffer.from('first '), Buffer.from('second')];
  const asking = fetch(`${api.url}/api/v1/voice/chat`, {
    method: 'POST',
    headers: { ...credentials(), accept: 'audio/ogg, */*;q=0.1' },
    body: JSON.stringify({ text: 'Hi' }),
  });
  const turn = await newestTurn();
  expect(turn.input.speech).toMatchObject({ format: 'opus', stream: true });
  await append(turn, { type: 'audio.delta', index: 1, offset: 0, delta: sounds[0]!.toString('base64') });
  const answer = await asking;
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'audio/ogg; codecs=opus']);
  expect(answer.headers.get('x-execution-id')).toBe(turn.id);
  expect(answer.headers.get('x-session-id')).toBe(turn.session_id);
  await append(turn, { type: 'audio.delta', index: 1, offset: 6, delta: sounds[1]!.toString('base64') });
  await end(turn, { status: 'succeeded', error: null });
  expect(await answer.text()).toBe('first second');
});

test('a failure before the audio is an error, and a reset cuts the connection', async () => {
  const ask = (key?: string) =>
    fetch(`${api.url}/api/v1/voice/chat`, {
      method: 'POST',
      headers: { ...credentials(), accept: 'audio/*', ...(key && { 'idempotency-key': key }) },
      body: JSON.stringify({ text: 'Hi' }),
    });
  const failing = ask();
  const failed = await newestTurn();
  const body = { code: 'provider_auth', message: 'No.', status: 502, details: [], request_id: null };
  await end(failed, { status: 'failed', error: body });
  const answer = await failing;
  expect([
    answer.status,
    ((await answer.json()) as { error: { code: string } }).error.code,
    answer.headers.get('x-should-retry'),
  ]).toEqual([502, 'provider_auth', 'false']);

  const heard = ask();
  const broken = await newestTurn();
  await append(broken, { type: 'audio.delta', index: 1, offset: 0, delta: 'aGVhcmQ=' });
  const sound = await heard;
  await append(broken, { type: 'text.reset', reason: 'worker_lost' });
  await expect(sound.text()).rejects.toThrow();

  // Without events, such as long after the end, the file is sent.
  const key = newId('job');
  const first = ask(key);
  const kept = await newestTurn();
  const asset = await api.services.assets.create({ owner: kept.owner, body: Buffer.from('file'), filename: 'x.txt' });
  const output = [{ type: 'asset' as const, asset: { ...assetFactsOf(asset), mime_type: 'audio/mpeg' } }];
  await end(kept, { status: 'succeeded', error: null, output });
  for (const again of [await first, await ask(key)]) {
    expect([again.status, again.headers.get('content-type'), await again.text()]).toEqual([200, 'audio/mpeg', 'file']);
    expect(again.headers.get('x-execution-id')).toBe(kept.id);
  }
});

test('returns a ticket once, and does not store it', async () => {
  const ask = () => api.call('POST', '/voice/tickets', { headers: { 'idempotency-key': 'x' } });
  const [one, two] = [await ask(), await ask()];
  expect(one.body).toMatchObject({
    object: 'voice.ticket',
    url: expect.stringMatching(/^ws:\/\/127\.0\.0\.1:\d+\/api\/v1\/voice\/ws$/),
  });
  expect(one.body.ticket).not.toBe(two.body.ticket);
  const { credential, scope } = await api.services.accounts.tickets.redeem(one.body.ticket);
  expect([credential.user.email, scope.scope_type]).toEqual([api.login.email, 'personal']);
});

test('lists voice options and past turns', async () => {
  const meta = async (body: object) => (await api.call('POST', '/voice/chat/meta', { body })).body;
  expect(await meta({})).toMatchObject({
    speech: { models: ['embedded/mouth'], default_model: 'embedded/mouth', voices: [VOICE] },
    transcription: { models: ['embedded/ear'], default_model: 'embedded/ear' },
    limits: { audio_ms: 600_000, ticket_ms: 60_000 },
    turn_detection: { type: 'server_vad', silence_duration_ms: 500 },
    session: null,
    turn: null,
  });
  const { messages } = api.services.database;
  const owner = await ownerOf();
  const turn = await startTurn(api.services.database, owner, {
    message: 'Hello',
    executionId: newId('job'),
  });
  const voice = {
    transcription_model: 'embedded/ear',
    language: 'en',
    speech_model: 'embedded/mouth',
    voice: null,
    spoken_ms: 1_200,
    heard_ms: null,
    interrupted: false,
    cost_usd: 0.002,
    stages: { transcribed_ms: 80, first_text_ms: 200, first_audio_ms: 350, text_ms: 400, audio_ms: 600 },
  };
  const quiet = await meta({ session_id: turn.session_id });
  expect(quiet.session).toMatchObject({ state: 'idle', turns: [], has_more: false });
  await messages.setVoice(owner, turn.assistant_message_id, voice);
  api.services.voiceStates.set(turn.session_id, 'speaking');
  const { session } = await meta({ session_id: turn.session_id });
  expect(session).toMatchObject({ id: turn.session_id, state: 'speaking' });
  expect(session.turns).toMatchObject([{ message_id: turn.assistant_message_id, transcript: 'Hello', voice }]);

  const { body: begun } = await api.call('POST', '/voice/chat', { body: { text: 'Hi' }, ...now });
  expect((await meta({ execution_id: begun.id })).turn).toMatchObject({
    execution_id: begun.id,
    status: 'queued',
    voice: null,
  });
  for (const [body, status] of [
    [{ session_id: newId('session') }, 404],
    [{ execution_id: newId('job') }, 404],
    [{ session_id: turn.session_id, execution_id: begun.id }, 400],
    [{ session_id: turn.session_id, after: 'x' }, 400],
  ] as const)
    expect((await api.call('POST', '/voice/chat/meta', { body })).status).toBe(status);
});

const credentials = () => ({
  authorization: `Bearer ${api.accessToken}`,
  'x-scope-type': 'personal',
  'content-type': 'application/json',
});

const seen = new Set<string>();

/** Returns the newest voice turn. No worker takes it. */
async function newestTurn(): Promise<ExecutionRecord> {
  const owner = await ownerOf();
  for (;;) {
    const { data } = await api.services.database.executions.list(owner, {
      limit: 20,
      kind: 'voice.turn',
      status: 'queued',
    });
    const fresh = data.find(({ id, input }) => !seen.has(id) && (input.speech as { stream: boolean }).stream);
    if (fresh !== undefined) {
      seen.add(fresh.id);
      return fresh;
    }
  }
}

const append = ({ id }: ExecutionRecord, event: RunningEvent) => api.services.eventLog.append(id, 1, -1, [event]);

/** Ends a turn like its worker. */
async function end({ id, owner }: ExecutionRecord, outcome: Partial<Outcome>): Promise<void> {
  const { database, eventLog } = api.services;
  const ended = await settle(database, {
    owner,
    id,
    attempt: 1,
    outcome: { ...cancelledOutcome(), ...outcome },
  });
  await closeLog(eventLog, ended!);
}

async function ownerOf() {
  const { id: user_id } = (await api.call('GET', '/me')).body;
  return { scope: 'personal', user_id, workspace_id: null } as const;
}

test('cuts an interrupted answer on a closed socket to what was played', async () => {
  const { database, voiceMarks } = api.services;
  const owner = await ownerOf();
  const execution_id = newId('job');
  const turn = await startTurn(database, owner, {
    message: 'Hello',
    executionId: execution_id,
  });
  const { session_id, assistant_message_id: message_id } = turn;
  const answer = { content: 'One two three.', status: 'succeeded', usage: null, execution_id } as const;
  await database.messages.complete(owner, message_id, answer);
  await database.sessions.release(owner, session_id, execution_id);
  await voiceMarks.put(session_id, { execution_id, message_id, heard_end: 7, heard_ms: 640.4 });
  const interrupt = async () => (await api.call('POST', `/voice/interrupt/${session_id}`)).body;
  const heard = { interrupted: true, execution_id, message_id, heard_ms: 640, heard: 'One two' };
  expect(await interrupt()).toMatchObject(heard);
  expect(await database.messages.get(owner, message_id)).toMatchObject({ content: 'One two' });
  expect(await interrupt()).toMatchObject({ interrupted: false, heard: null });
});
