import { once } from 'node:events';
import type { JobOutput, Owner, TranscriptionInput } from '@chorus/contract';
import { fakeVoice } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { personal, readAll, startTestVoice } from './test-voice.ts';

let voice: Awaited<ReturnType<typeof startTestVoice>>;
let pool: Awaited<ReturnType<typeof voice.startVoice>>;
/** Number of the request that is never answered. */
let hangsAt: number | null = null;
let heard = 0;

beforeAll(async () => {
  voice = await startTestVoice({
    script: ({ model }) => {
      if (!model.includes('count')) return undefined;
      heard += 1;
      return heard === hangsAt ? { ending: 'hang' } : undefined;
    },
  });
  pool = await voice.startVoice();
});
afterAll(() => voice.stop());

const silence = (seconds: number) => Buffer.alloc(seconds * 48_000);

async function begin(owner: Owner, pcm: Uint8Array, over: Partial<TranscriptionInput>) {
  const { id: asset_id, duration_ms } = await voice.upload(owner, pcm);
  const input = {
    asset_id,
    duration_ms,
    model: 'openai/whisper-1',
    task: 'transcribe' as const,
    language: null,
    prompt: null,
    temperature: null,
    words: false,
    warnings: [],
    ...over,
  };
  return voice.begin(owner, 'transcription', input);
}

async function transcribe(pcm: Uint8Array, over: Partial<TranscriptionInput> = {}) {
  const owner = personal();
  const { id, reader } = await begin(owner, pcm, over);
  const events = await readAll(reader);
  return { record: (await voice.database.executions.get(owner, id))!, events };
}

const textOf = (events: Awaited<ReturnType<typeof readAll>>) =>
  events.map((event) => (event.type === 'text.delta' ? event.delta : '')).join('');

test('transcribes a file with the times of segments and words', async () => {
  const given = { language: 'en', prompt: 'Numbers', temperature: 0.5, words: true };
  const { record, events } = await transcribe(Buffer.concat([silence(3), fakeVoice(2)]), given);
  const [text, item] = record.output as JobOutput<'transcription'>[];
  expect(text).toEqual({ type: 'text', text: 'one two' });
  expect(item).toMatchObject({ text: 'one two', model: 'openai/whisper-1', language: 'en', duration_ms: 5_000 });
  if (item?.type !== 'transcript') throw new Error('no transcript');
  // The silence before the speech is not sent, but counts.
  const starts = item.segments?.map(({ start_ms }) => start_ms) ?? [];
  expect(starts[0]).toBeGreaterThan(2_300);
  expect(starts[0]).toBeLessThan(3_200);
  expect(starts[1]).toBe(starts[0]! + 1_000);
  expect(item.words).toEqual(item.segments);
  expect(textOf(events)).toBe('one two');
  expect(record.usage.cost_usd).toBeGreaterThan(0);
  const fields = voice.fake.requests.at(-1)!.form.map(({ name, value }) => `${name}=${String(value).slice(0, 20)}`);
  expect(fields).toEqual(expect.arrayContaining(['language=en', 'prompt=Numbers', 'temperature=0.5']));
});

test('translates', async () => {
  const { record } = await transcribe(fakeVoice(1), { task: 'translate' });
  expect(record.output[1]).toMatchObject({ text: 'one two', language: 'en' });
  expect(voice.fake.requests.at(-1)?.path).toBe('/v1/audio/translations');
});

test('silence has an empty transcript and asks no model', async () => {
  const { record } = await transcribe(silence(2), { model: 'openai/never-asked' });
  expect(record).toMatchObject({ status: 'succeeded', usage: { cost_usd: 0 } });
  expect(record.output[1]).toMatchObject({ text: '', segments: [], duration_ms: 2_000 });
  expect(voice.fake.requests.some(({ model }) => model === 'never-asked')).toBe(false);
});

test('a file without sound is refused', async () => {
  const owner = personal();
  const { id } = await voice.assets.create({ owner, body: Buffer.from('no sound'), filename: 'x.wav' });
  const { reader, id: job } = await begin(owner, fakeVoice(1), { asset_id: id });
  await readAll(reader);
  const record = await voice.database.executions.get(owner, job);
  expect(record?.error).toMatchObject({ code: 'invalid_request', message: expect.stringContaining('cannot be read') });
});

test('a long file is transcribed in parts, and another worker continues after the last', async () => {
  hangsAt = 2;
  const owner = personal();
  const speech = fakeVoice(20);
  // The cut is in the pause.
  const pcm = Buffer.concat([...Array(14).fill(speech), silence(2), speech]);
  await pool.close(0);
  const lost = await voice.startVoiceProcess();
  const { id, reader } = await begin(owner, pcm, { model: 'openai/whisper-count' });
  await expect.poll(() => heard, { timeout: 90_000 }).toBe(2);
  const before = await voice.database.executions.get(owner, id);
  expect(before?.checkpoint).toMatchObject({ text: 'one two' });
  lost.kill('SIGKILL');
  await once(lost, 'exit');
  await voice.runOut(id);
  pool = await voice.startVoice();
  const events = await readAll(reader);
  const reset = events.findIndex(({ type }) => type === 'text.reset');
  expect([textOf(events.slice(0, reset)), textOf(events.slice(reset))]).toEqual(['one two', 'one two one two']);
  const progress = events.flatMap((event) => (event.type === 'progress' ? event.progress.completed : []));
  expect(progress).toEqual([0, 280, 280, 302]);
  const record = await voice.database.executions.get(owner, id);
  expect(record).toMatchObject({ status: 'succeeded', attempt: 2 });
  const [, item] = record!.output as JobOutput<'transcription'>[];
  if (item?.type !== 'transcript') throw new Error('no transcript');
  expect(item.segments?.map(({ start_ms }) => Math.round(start_ms / 1_000))).toEqual([0, 1, 282, 283]);
  expect(item.duration_ms).toBe(302_000);
  expect(heard).toBe(3);
});
