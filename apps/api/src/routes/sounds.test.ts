import { newId, type TranscriptionOptions } from '@chorus/contract';
import { CLIP_WEBM, TINY_PNG } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';
import { publishModels } from '../test-chat.ts';

const MOONSHINE: TranscriptionOptions = {
  languages: ['en'],
  prompt: false,
  temperature: false,
  timestamps: ['segment'],
  translates: false,
};
const WHISPER: TranscriptionOptions = {
  languages: null,
  prompt: true,
  temperature: true,
  timestamps: ['segment', 'word'],
  translates: true,
};

let api: TestApi;
let asset_id: string;

beforeAll(async () => {
  api = await startTestApi();
  const capabilities = {
    'embedded/ear': ['transcription' as const],
    'embedded/mouth': ['speech' as const],
    'openai/whisper': ['transcription' as const],
    'openai/tts': ['speech' as const],
    'google/tts': ['speech' as const],
  };
  await publishModels(api, 'voice', capabilities, {
    voices: [{ model: 'embedded/mouth', id: 'alto', name: 'Alto', language: 'en-US' }],
    options: {
      'embedded/ear': { transcription_options: MOONSHINE },
      'openai/whisper': { transcription_options: WHISPER },
      'embedded/mouth': { speech_options: { instructions: false, speed: { min: 0.5, max: 2 } } },
      'google/tts': { speech_options: { instructions: true, speed: null } },
    },
  });
  asset_id = (await send('/assets', form({}, CLIP_WEBM))).body.id;
});
afterAll(() => api.stop());

const send = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  api.call('POST', path, { body, headers: { prefer: 'respond-async', ...headers } });

function form(fields: Record<string, string>, file: Uint8Array<ArrayBuffer>): FormData {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) made.append(name, value);
  made.append('file', new Blob([file]), 'said');
  return made;
}

async function inputOf(id: string) {
  const { id: user_id } = (await api.call('GET', '/me')).body;
  return (await api.services.database.executions.get({ scope: 'personal', user_id, workspace_id: null }, id))?.input;
}

test('queues speech, with the defaults of the model', async () => {
  const { body } = await send('/speech', { input: ' Hello. ' });
  expect(body).toMatchObject({ kind: 'speech', surface: 'voice', status: 'queued', model: 'embedded/mouth' });
  expect(await inputOf(body.id)).toEqual({
    text: 'Hello.',
    model: 'embedded/mouth',
    voice: null,
    format: 'mp3',
    speed: 1,
    instructions: null,
    stream: false,
    warnings: [],
  });
});

test('passes on voice, format, speed and instructions', async () => {
  const given = { model: 'embedded/mouth', voice: 'alto', response_format: 'opus', speed: 2 };
  const { body } = await send('/speech', { input: 'Hello.', ...given });
  expect(await inputOf(body.id)).toMatchObject({ voice: 'alto', format: 'opus', speed: 2 });
  const spoken = await send('/speech', {
    input: 'Hello.',
    model: 'google/tts',
    instructions: 'Whisper.',
    format: 'wav',
  });
  expect(await inputOf(spoken.body.id)).toMatchObject({ instructions: 'Whisper.', format: 'wav', warnings: [] });
  const agent = (await api.call('POST', '/agents', { body: { name: 'x', voice: 'alto', instructions: 'Be brief.' } }))
    .body;
  const agents = await send('/speech', { input: 'Hello.' }, { 'x-agent-id': agent.id });
  expect(await inputOf(agents.body.id)).toMatchObject({ voice: 'alto', instructions: null });
});

test('names instructions that the model ignores', async () => {
  const answer = await send('/speech', { input: 'Hello.', instructions: 'Whisper.' });
  expect(answer.headers.get('x-ignored-fields')).toBe('instructions');
  expect(await inputOf(answer.body.id)).toMatchObject({
    instructions: null,
    warnings: [expect.stringContaining('embedded/mouth does not follow instructions')],
  });
});

test.each([
  [{}, 'body.input', ''],
  [{ input: ' ' }, 'body.input', ''],
  [{ input: 'x'.repeat(4_097) }, 'body.input', '4,096'],
  [{ input: 'a', voice: 'unknown' }, 'body.voice', 'alto'],
  [{ input: 'a', model: 'embedded/ear' }, 'body.model', 'embedded/mouth'],
  [{ input: 'a', format: 'midi' }, 'body.format', 'mp3'],
  [{ input: 'a', format: 'mp3', response_format: 'wav' }, 'body.response_format', 'the same as `format`'],
  [{ input: 'a', speed: 5 }, 'body.speed', '4'],
  [{ input: 'a', speed: 0.4 }, 'body.speed', 'must be from 0.5 to 2 for embedded/mouth'],
  [{ input: 'a', model: 'google/tts', speed: 1.5 }, 'body.speed', 'must be 1 for google/tts'],
  [{ input: 'a', tone: 'x' }, 'body.tone', ''],
])('refuses speech of %j at %s', async (body, path, message) => {
  const answer = await send('/speech', body);
  expect([answer.status, answer.body.error.details[0].path]).toEqual([400, path]);
  expect(JSON.stringify(answer.body.error)).toContain(message);
});

test('queues a transcription of a file or an asset', async () => {
  const sent = await send('/transcription', form({ language: 'en', timestamp_granularities: 'segment' }, CLIP_WEBM));
  expect(sent.body).toMatchObject({ kind: 'transcription', surface: 'voice', status: 'queued', model: 'embedded/ear' });
  expect(await inputOf(sent.body.id)).toMatchObject({ language: 'en', task: 'transcribe', words: false, prompt: null });
  const words = { model: 'openai/whisper', prompt: 'Names', temperature: 0.3, timestamp_granularities: ['word'] };
  const named = await send('/transcription', { asset_id, language: 'DE', ...words });
  expect(await inputOf(named.body.id)).toEqual({
    asset_id,
    duration_ms: expect.any(Number),
    model: 'openai/whisper',
    task: 'transcribe',
    language: 'de',
    prompt: 'Names',
    temperature: 0.3,
    words: true,
    warnings: [],
  });
});

test('a translation uses a model that can', async () => {
  const { body } = await send('/transcription', { asset_id, task: 'translate' });
  expect([body.model, (await inputOf(body.id))?.task]).toEqual(['openai/whisper', 'translate']);
});

test('names a temperature that the model ignores', async () => {
  const answer = await send('/transcription', { asset_id, temperature: 0.5 });
  expect(answer.headers.get('x-ignored-fields')).toBe('temperature');
  expect(await inputOf(answer.body.id)).toMatchObject({ temperature: null, warnings: [expect.any(String)] });
});

test.each([
  [{ asset_id: newId('asset') }, 'body.asset_id', 'not an asset'],
  [{ model: 'embedded/mouth' }, 'body.model', 'embedded/ear'],
  [
    { task: 'translate', model: 'embedded/ear' },
    'body.model',
    'cannot translate into English. These can: openai/whisper',
  ],
  [{ task: 'translate', language: 'de' }, 'body.language', 'translation'],
  [{ task: 'translate', timestamp_granularities: ['word'] }, 'body.timestamp_granularities', 'translation'],
  [{ language: 'de' }, 'body.language', 'must be en for embedded/ear. These may know `de`: openai/whisper'],
  [{ language: 'German!' }, 'body.language', 'ISO 639'],
  [{ prompt: 'Names' }, 'body.prompt', 'embedded/ear'],
  [{ timestamp_granularities: ['word'] }, 'body.timestamp_granularities', 'embedded/ear reports no times of words'],
  [{ timestamp_granularities: ['letter'] }, 'body.timestamp_granularities.0', 'word'],
  [{ temperature: 2 }, 'body.temperature', '1'],
])('refuses a transcription with %j at %s', async (body, path, message) => {
  const answer = await send('/transcription', { asset_id, ...body });
  expect([answer.status, answer.body.error.details[0].path]).toEqual([400, path]);
  expect(JSON.stringify(answer.body.error)).toContain(message);
});

test('refuses a file that is not audio, and keeps nothing of it', async () => {
  const count = async () => (await api.call('GET', '/assets')).body.data.length;
  const before = await count();
  const answer = await send('/transcription', form({}, TINY_PNG));
  expect([answer.status, answer.body.error.details[0].path]).toEqual([400, 'body.asset_id']);
  expect(await count()).toBe(before);
});

test('both are kinds that batches may contain', async () => {
  const { data } = (await api.call('GET', '/kinds')).body;
  const listed = (kind: string) => data.find((one: { kind: string }) => one.kind === kind);
  expect(listed('speech')).toMatchObject({ path: '/api/v1/speech', batchable: true, pool: 'voice' });
  expect(listed('transcription')).toMatchObject({ path: '/api/v1/transcription', batchable: true });
});
