import { buffer } from 'node:stream/consumers';
import { type Owner, SPEECH_FORMATS, SPEECH_TYPES, type SpeechInput } from '@chorus/contract';
import { fakeSpeech } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { personal, readAll, startTestVoice } from './test-voice.ts';

let voice: Awaited<ReturnType<typeof startTestVoice>>;
beforeAll(async () => {
  voice = await startTestVoice();
  await voice.startVoice();
});
afterAll(() => voice.stop());

const TEXT = 'It rains today, and tomorrow too.';

const asked = (over: Partial<SpeechInput> = {}): SpeechInput => ({
  text: TEXT,
  model: 'openai/tts-1',
  voice: null,
  format: 'pcm',
  speed: 1,
  instructions: null,
  stream: true,
  warnings: [],
  ...over,
});

async function speak(over: Partial<SpeechInput>, owner: Owner = personal()) {
  const { id, reader } = await voice.begin(owner, 'speech', asked(over));
  const events = await readAll(reader);
  const record = await voice.database.executions.get(owner, id);
  const sound = Buffer.concat(
    events.map((event) => (event.type === 'audio.delta' ? Buffer.from(event.delta, 'base64') : Buffer.alloc(0))),
  );
  return { record: record!, events, sound };
}

test.each(SPEECH_FORMATS)('speaks as %s, as a stream and as an asset', async (format) => {
  const owner = personal();
  const { record, sound } = await speak({ format }, owner);
  expect(record).toMatchObject({
    status: 'succeeded',
    model: 'openai/tts-1',
    provider: 'openai',
    finish_reason: 'stop',
  });
  expect(record.usage.cost_usd).toBeCloseTo((TEXT.length * 15) / 1e6);
  const [item] = record.output;
  if (item?.type !== 'asset') throw new Error('no sound');
  expect(item.asset).toMatchObject({
    kind: 'audio',
    mime_type: SPEECH_TYPES[format].file,
    duration_ms: TEXT.length * 10,
    filename: `it-rains-today-and-tomorrow-too.${SPEECH_TYPES[format].extension}`,
  });
  const file = await buffer(await voice.assets.read((await voice.assets.get(owner, item.asset.id))!));
  if (format === 'pcm') expect(sound.equals(fakeSpeech(TEXT))).toBe(true);
  expect(sound.length).toBeGreaterThan(1_000);
  expect(file.length).toBeGreaterThan(1_000);
});

test('passes on voice, speed and instructions, and streams nothing unless asked', async () => {
  const given = { model: 'openai/gpt-4o-mini-tts', voice: 'coral', speed: 2, instructions: 'Whisper.' };
  const { record, events } = await speak({ ...given, stream: false, warnings: ['x'] });
  expect(record).toMatchObject({ status: 'succeeded', warnings: ['x'] });
  expect(events.some(({ type }) => type === 'audio.delta')).toBe(false);
  const { body } = voice.fake.requests.at(-1)!;
  expect(body).toMatchObject({
    input: TEXT,
    voice: 'coral',
    speed: 2,
    instructions: 'Whisper.',
    response_format: 'pcm',
  });
});

test('names a language that the model does not speak', async () => {
  const chinese = await speak({ model: 'embedded/flite', text: '你好，今天天气怎么样？' });
  expect(chinese.record).toMatchObject({ status: 'failed', error: { code: 'invalid_request' } });
  expect(chinese.record.error?.message).toMatch(/speaks English only, and the text is in Chinese\. ./);
  const { record } = await speak({ model: 'embedded/flite', text: 'Das ist nicht gut, und ich weiß es auch.' });
  expect(record).toMatchObject({ status: 'succeeded', warnings: [expect.stringContaining('in German')] });
  const { record: other } = await speak({ text: '你好，今天天气怎么样？' });
  expect(other).toMatchObject({ status: 'succeeded', warnings: [] });
});

test('a failure of the provider is the failure of the execution', async () => {
  const { record, sound } = await speak({ model: 'openai/refuse' });
  expect(record).toMatchObject({ status: 'failed', error: { code: 'content_refused' }, output: [] });
  expect(sound).toHaveLength(0);
});

test('a cancellation ends the call', async () => {
  const owner = personal();
  const { id, reader } = await voice.begin(owner, 'speech', asked({ model: 'openai/hang' }));
  await expect.poll(() => voice.fake.requests.some(({ model }) => model === 'hang')).toBe(true);
  await voice.dispatcher.cancel(owner, id);
  expect((await readAll(reader)).at(-1)?.type).toBe('execution.cancelled');
});

test('an attempt that takes over returns the audio that was stored before', async () => {
  const owner = personal();
  const { record } = await speak({}, owner);
  const requests = voice.fake.requests.length;
  const [item] = record.output;
  const { speech } = await import('./speech.ts');
  const paid = { ...record.usage, cost_usd: 2 };
  const job = {
    input: asked(),
    owner,
    executionId: record.id,
    attempt: 2,
    checkpoint: { value: { usage: paid } },
    emit: () => undefined,
    note: () => undefined,
  };
  const parts = {
    assets: voice.assets,
    providers: voice.providers,
    provenance: { sign: fail, recordGenerated: async () => null, warnings: [] },
  };
  const again = await speech(parts as never).run(job as never);
  expect(again.output).toEqual([item]);
  expect(again.usage).toEqual(paid);
  expect(voice.fake.requests).toHaveLength(requests);
});

const fail = () => Promise.reject(new Error('spoken again'));

test('the embedded engine speaks without a provider', async () => {
  const { record, sound } = await speak({
    model: 'embedded/flite',
    voice: 'onyx',
    text: 'One two three.',
    format: 'wav',
  });
  expect(record).toMatchObject({ status: 'succeeded', provider: 'embedded' });
  expect(sound.subarray(0, 4).toString()).toBe('RIFF');
  const [item] = record.output;
  expect(item?.type === 'asset' && item.asset.duration_ms).toBeGreaterThan(500);
});
