import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { newId, type TranscriptItem } from '@chorus/contract';
import { createQueuePlaces } from '@chorus/executions';
import { expectedText, fakeSpeech, fakeVoice } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { personal, readAll, startTestVoice } from './test-voice.ts';

let voice: Awaited<ReturnType<typeof startTestVoice>>;
let pool: Awaited<ReturnType<typeof voice.startVoice>>;

beforeAll(async () => {
  voice = await startTestVoice();
  await voice.startText();
  pool = await voice.startVoice();
});
afterAll(() => voice.stop());

const soundOf = (events: Awaited<ReturnType<typeof readAll>>) => {
  const pieces = events.flatMap((event) => (event.type === 'audio.delta' ? [event] : []));
  let offset = 0;
  for (const piece of pieces) {
    expect(piece.offset).toBe(offset);
    offset += Buffer.from(piece.delta, 'base64').length;
  }
  return Buffer.concat(pieces.map(({ delta }) => Buffer.from(delta, 'base64')));
};
const textOf = (events: Awaited<ReturnType<typeof readAll>>) =>
  events.map((event) => (event.type === 'text.delta' ? event.delta : '')).join('');

test('answers text with a turn of the session and speaks the answer', async () => {
  const owner = personal();
  const { id, reader, chat } = await voice.dispatch(owner, { model: 'compatible/words-20', format: 'pcm' });
  const events = await readAll(reader);
  expect(textOf(events)).toBe(expectedText('words-20'));
  const record = await voice.database.executions.get(owner, id);
  expect(record).toMatchObject({
    status: 'succeeded',
    model: 'compatible/words-20',
    session_id: chat.session_id,
    message_id: chat.assistant_message_id,
    output: [
      { type: 'text', text: expectedText('words-20') },
      { type: 'asset', asset: { kind: 'audio', execution_id: id } },
    ],
  });
  const [, sound] = record?.output ?? [];
  if (sound?.type !== 'asset') throw new Error('no sound');
  const asset = await voice.assets.get(owner, sound.asset.id);
  const bytes = await buffer(await voice.assets.read(asset!));
  // All text is spoken, no matter how it is split into clauses.
  expect(soundOf(events).length).toBe(fakeSpeech(expectedText('words-20')).length);
  // The signed provenance record follows the samples.
  const sampleBytes = soundOf(events).length;
  expect(soundOf(events).equals(bytes.subarray(44, 44 + sampleBytes))).toBe(true);
  expect(bytes.subarray(44 + sampleBytes).includes('c2pa')).toBe(true);

  const session = await voice.database.sessions.get(owner, chat.session_id);
  expect(session).toMatchObject({ active_execution_id: null, message_count: 2, title: 'Go.' });
  const answer = await voice.database.messages.get(owner, chat.assistant_message_id);
  expect(answer).toMatchObject({
    content: expectedText('words-20'),
    execution_id: chat.execution_id,
    voice: {
      transcription_model: null,
      speech_model: 'openai/gpt-4o-mini-tts',
      spoken_ms: Math.round(sampleBytes / 48),
      interrupted: false,
      stages: { transcribed_ms: null },
    },
  });
  const { first_text_ms, first_audio_ms, text_ms, audio_ms } = answer!.voice!.stages;
  for (const [sooner, later] of [
    [first_text_ms, first_audio_ms],
    [first_audio_ms, audio_ms],
    [text_ms, audio_ms],
  ])
    expect(later).toBeGreaterThanOrEqual(sooner!);
  expect(await voice.states.get(chat.session_id)).toBe('idle');
  const turn = await voice.database.executions.get(owner, chat.execution_id);
  expect(turn).toMatchObject({ kind: 'chat.completion', status: 'succeeded', request_id: 'req' });
});

test('goes on after its chat turn has waited for a provider', async () => {
  const owner = personal();
  const model = 'compatible/words-7';
  const { setLane } = createQueuePlaces(voice.redis);
  await setLane('text.calls', model, { size: 0, closedMs: 600_000, at: 1 });
  const { reader, chat } = await voice.dispatch(owner, { model });
  const events = async () => (await voice.eventLog.peek(chat.execution_id))?.seq;
  await expect.poll(events, { timeout: 20_000 }).toBe(2);
  expect((await voice.database.executions.get(owner, chat.execution_id))?.status).toBe('queued');
  await setLane('text.calls', model, { size: 10, closedMs: 0, at: 2 });
  expect(textOf(await readAll(reader))).toBe(expectedText('words-7'));
});

test('transcribes audio into the message of the turn', async () => {
  const owner = personal();
  const asset = await voice.upload(owner, fakeVoice(1));
  const said = { type: 'audio', asset_id: asset.id, model: 'openai/whisper-1' } as const;
  const { id, reader, chat } = await voice.dispatch(owner, {
    said,
    model: 'compatible/echo',
    speech_model: 'openai/tts-1',
  });
  const events = await readAll(reader);
  const record = await voice.database.executions.get(owner, id);
  expect(record?.output).toMatchObject([
    { type: 'transcript', text: 'one two', model: 'openai/whisper-1', duration_ms: 1_000 },
    { type: 'text', text: 'one two' },
    { type: 'asset', asset: { mime_type: 'audio/mpeg', filename: 'one-two.mp3' } },
  ]);
  expect(record?.usage.cost_usd).toBeGreaterThan(0);
  // Indexes of events match the output.
  expect(events.flatMap((event) => ('index' in event ? [`${event.type} ${event.index}`] : []))).toEqual([
    'output.item 0',
    ...Array(events.filter(({ type }) => type === 'text.delta').length).fill('text.delta 1'),
    ...Array(events.filter(({ type }) => type === 'audio.delta').length).fill('audio.delta 2'),
    'output.item 2',
  ]);
  expect(soundOf(events).length).toBeGreaterThan(100);
  const message = await voice.database.messages.get(owner, chat.user_message_id);
  expect(message).toMatchObject({ role: 'user', content: 'one two', execution_id: chat.execution_id });

  // Continues the same session.
  const known = { ...said, heard: record?.output[0] as TranscriptItem };
  const heard = await voice.dispatch(owner, { said: known, chat: { ...chat, before: { type: 'begun' } } });
  await readAll(heard.reader);
  expect((await voice.database.executions.get(owner, heard.id))?.output).toMatchObject([known.heard, {}, {}]);
  expect(voice.fake.requests.filter(({ model }) => model === 'whisper-1')).toHaveLength(1);
  const next = await voice.dispatch(owner, { session_id: chat.session_id, model: 'compatible/words-3', stream: false });
  expect((await readAll(next.reader)).some(({ type }) => type === 'audio.delta')).toBe(false);
  const asked = voice.fake.requests.at(-2)?.body as { messages: unknown[] };
  expect(asked.messages).toHaveLength(3);
});

test('asks no model and opens no session without speech', async () => {
  const owner = personal();
  const asset = await voice.upload(owner, new Uint8Array(48_000));
  const said = { type: 'audio', asset_id: asset.id, model: 'openai/never-asked' } as const;
  const { id, reader, chat } = await voice.dispatch(owner, { said });
  await readAll(reader);
  const record = await voice.database.executions.get(owner, id);
  expect([record?.status, record?.error?.code]).toEqual(['failed', 'no_speech']);
  expect(voice.fake.requests.some(({ model }) => model === 'never-asked')).toBe(false);
  expect(await voice.database.sessions.get(owner, chat.session_id)).toBeNull();
});

test('takes back text and audio when another model takes over', async () => {
  const { id, reader, chat } = await voice.dispatch(personal(), {
    model: 'compatible/words-60-delay-5-error-after-40',
    fallbacks: ['compatible/words-4@calm'],
    format: 'pcm',
  });
  const events = await readAll(reader);
  const reset = events.findIndex(({ type }) => type === 'text.reset');
  expect(reset).toBeGreaterThan(0);
  expect(textOf(events.slice(reset))).toBe(expectedText('words-4'));
  expect(soundOf(events.slice(reset)).length).toBe(fakeSpeech(expectedText('words-4')).length);
  expect(events.at(-1)?.type).toBe('execution.succeeded');
  expect([id, chat.execution_id].map((each) => each.slice(0, 4))).toEqual(['job_', 'job_']);
});

test('fails with the error of its chat turn', async () => {
  const owner = personal();
  const { id, reader, chat } = await voice.dispatch(owner, { model: 'compatible/refuse' });
  await readAll(reader);
  const record = await voice.database.executions.get(owner, id);
  expect([record?.status, record?.error?.code]).toEqual(['failed', 'content_refused']);
  expect((await voice.database.sessions.get(owner, chat.session_id))?.active_execution_id).toBeNull();

  const mute = await voice.dispatch(owner, { speech_model: 'openai/fail-401@tts' });
  await readAll(mute.reader);
  const failed = await voice.database.executions.get(owner, mute.id);
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'provider_auth' } });
  // Emitted text remains.
  expect(failed?.output).toEqual([{ type: 'text', text: expectedText('words-20') }]);
  expect(await voice.database.messages.get(owner, mute.chat.assistant_message_id)).toMatchObject({
    status: 'succeeded',
    content: expectedText('words-20'),
  });

  // A retry speaks a finished answer, or repeats a failed one for the same message.
  const asked = () => voice.fake.requests.filter(({ path }) => path.endsWith('/chat/completions')).length;
  const before = asked();
  const spoken = await voice.dispatch(owner, { chat: { ...mute.chat, before: { type: 'begun' } } });
  expect(textOf(await readAll(spoken.reader))).toBe(expectedText('words-20'));
  expect((await voice.database.executions.get(owner, spoken.id))?.status).toBe('succeeded');
  expect(asked()).toBe(before);
  const left = { type: 'failed', execution_id: chat.execution_id } as const;
  const again = { ...chat, opens: false, execution_id: newId('job'), before: left };
  await readAll((await voice.dispatch(owner, { chat: again })).reader);
  expect(asked()).toBe(before + 1);
  expect(await voice.database.messages.get(owner, chat.assistant_message_id)).toMatchObject({
    status: 'failed',
    execution_id: again.execution_id,
  });
  expect((await voice.database.sessions.get(owner, chat.session_id))?.message_count).toBe(2);
});

test.each(['it', 'the chat turn'])('cancels both when %s is cancelled', async (which) => {
  const owner = personal();
  const { id, reader, chat } = await voice.dispatch(owner, { model: 'compatible/words-900-delay-20' });
  for (let events = await reader.next(); !events.some(({ event }) => event.type === 'text.delta'); )
    events = await reader.next();
  await voice.dispatcher.cancel(owner, which === 'it' ? id : chat.execution_id);
  await readAll(reader);
  expect((await voice.database.executions.get(owner, id))?.status).toBe('cancelled');
  await expect
    .poll(async () => (await voice.database.executions.get(owner, chat.execution_id))?.status)
    .toBe('cancelled');
  // Later effects follow the terminal event.
  await expect
    .poll(async () => (await voice.database.sessions.get(owner, chat.session_id))?.active_execution_id)
    .toBeNull();
});

test('follows the running chat turn in another worker and transcribes nothing twice', async () => {
  const owner = personal();
  const asset = await voice.upload(owner, fakeVoice(1));
  const said = { type: 'audio', asset_id: asset.id, model: 'openai/whisper-1@once' } as const;
  const { id, reader, chat } = await voice.dispatch(owner, {
    said,
    model: 'compatible/words-120-delay-20@taken',
    format: 'pcm',
  });
  for (let events = await reader.next(); !events.some(({ event }) => event.type === 'text.delta'); )
    events = await reader.next();
  // The only voice worker stops and hands its job back to the next one.
  await pool.close(0);
  pool = await voice.startVoice();
  const events = await readAll(reader);
  const reset = events.findIndex(({ type }) => type === 'text.reset');
  expect(events[reset]).toMatchObject({ reason: 'handed_back' });
  expect(textOf(events.slice(reset))).toBe(expectedText('words-120'));
  // Spaces between clauses are not spoken.
  const spoken = soundOf(events.slice(reset)).length / fakeSpeech(expectedText('words-120')).length;
  expect(spoken).toBeGreaterThan(0.98);
  expect(spoken).toBeLessThanOrEqual(1);
  const record = await voice.database.executions.get(owner, id);
  expect(record).toMatchObject({ status: 'succeeded', attempt: 2 });
  expect(record?.output.map(({ type }) => type)).toEqual(['transcript', 'text', 'asset']);
  const asked = (name: string) => voice.fake.requests.filter(({ model }) => model === name).length;
  expect([asked('whisper-1@once'), asked('words-120-delay-20@taken')]).toEqual([1, 1]);
  expect((await voice.database.sessions.get(owner, chat.session_id))?.message_count).toBe(2);
  expect(await voice.assets.ofExecution(owner, id)).toHaveLength(1);
});

test('requests and stores an answer once when its worker is killed', async () => {
  const owner = personal();
  await pool.close(0);
  const killed = await voice.startVoiceProcess();
  const { id, reader, chat } = await voice.dispatch(owner, {
    model: 'compatible/words-120-delay-20@killed',
    format: 'pcm',
  });
  for (let heard = false; !heard; ) heard = (await reader.next()).some(({ event }) => event.type === 'audio.delta');
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  await voice.runOut(id);
  pool = await voice.startVoice();
  const events = await readAll(reader);
  const reset = events.findIndex(({ type }) => type === 'text.reset');
  expect(events[reset]).toMatchObject({ reason: 'worker_lost' });
  // Emitted text and audio are reset and start again.
  expect(textOf(events.slice(reset))).toBe(expectedText('words-120'));
  expect(soundOf(events.slice(reset)).length).toBeGreaterThan(0.98 * fakeSpeech(expectedText('words-120')).length);
  const record = await voice.database.executions.get(owner, id);
  expect(record).toMatchObject({ status: 'succeeded', attempt: 2 });
  expect(voice.fake.requests.filter(({ model }) => model === 'words-120-delay-20@killed')).toHaveLength(1);
  const session = await voice.database.sessions.get(owner, chat.session_id);
  expect(session).toMatchObject({ message_count: 2, active_execution_id: null });
  expect(await voice.assets.ofExecution(owner, id)).toHaveLength(1);
  expect((await voice.database.messages.get(owner, chat.assistant_message_id))?.voice?.interrupted).toBe(false);
});
