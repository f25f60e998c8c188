import { SPEECH_FORMATS } from '@chorus/contract';
import { fakeSpeech, fakeVoice, TINY_PNG } from '@chorus/testing';
import OpenAI, { APIError, BadRequestError, NotFoundError, toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshPerson } from '../test-people.ts';
import { startVoiceApi, type TestVoiceApi, wavOf } from '../test-voice-workers.ts';

let api: TestVoiceApi;
let client: OpenAI;
let key: string;
/** Two seconds of voice. */
let wav: Uint8Array<ArrayBuffer>;

beforeAll(async () => {
  const models = [
    'tts-1',
    'gpt-4o-mini-tts',
    'whisper-1',
    'gpt-4o-transcribe',
    'refuse-whisper',
    'refuse-tts',
    'cut-after-1-tts',
  ];
  api = await startVoiceApi({ models });
  key = (await freshPerson(api)).fullKey;
  client = new OpenAI({ baseURL: `${api.url}/openai/v1`, apiKey: key, maxRetries: 0 });
  wav = await wavOf(fakeVoice(2));
});
afterAll(() => api.stop());

const job = async (response: Response) => {
  const id = response.headers.get('x-execution-id');
  const headers = { authorization: `Bearer ${key}` };
  return (await api.call('GET', `/jobs/${id}`, { headers })).body;
};

describe('speech', () => {
  const TEXT = 'It rains today.';
  const speak = (body: Partial<OpenAI.Audio.SpeechCreateParams>) =>
    client.audio.speech.create({ input: TEXT, model: 'tts-1', voice: 'alloy', ...body });

  test('is the audio, counted as an execution', async () => {
    const response = await speak({ response_format: 'pcm' });
    expect(Buffer.from(await response.arrayBuffer()).equals(fakeSpeech(TEXT))).toBe(true);
    expect(response.headers.get('content-type')).toBe('audio/pcm; rate=24000');
    const execution = await job(response);
    expect(execution).toMatchObject({ kind: 'speech', status: 'succeeded', model: 'openai/tts-1' });
    expect(execution.usage.cost_usd).toBeCloseTo((TEXT.length * 15) / 1e6);
  });

  test.each(SPEECH_FORMATS)('is made as %s', async (response_format) => {
    const response = await speak({ response_format });
    const starts = { mp3: '', opus: 'OggS', aac: '', flac: 'fLaC', wav: 'RIFF', pcm: '' };
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.subarray(0, 4).toString('latin1')).toContain(starts[response_format]);
    expect(bytes.length).toBeGreaterThan(500);
    expect(response.headers.get('content-type')).toMatch(/^audio\//);
  });

  test('is a stream of frames on request', async () => {
    const response = await speak({ response_format: 'pcm', stream_format: 'sse', model: 'gpt-4o-mini-tts' });
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const frames = (await response.text()).split('\n\n').flatMap((frame) => frame.replace(/^data: /, '') || []);
    const events = frames.map((frame) => JSON.parse(frame));
    expect(new Set(events.slice(0, -1).map(({ type }) => type))).toEqual(new Set(['speech.audio.delta']));
    const sound = Buffer.concat(events.slice(0, -1).map(({ audio }) => Buffer.from(audio, 'base64')));
    expect(sound.equals(fakeSpeech(TEXT))).toBe(true);
    const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
    expect(events.at(-1)).toEqual({ type: 'speech.audio.done', usage });
  });

  test('passes on speed, instructions and custom voices', async () => {
    await speak({ model: 'gpt-4o-mini-tts', voice: { id: 'voice_1' }, speed: 1.5, instructions: 'Whisper.' });
    const { body } = api.fake.requests.at(-1)!;
    expect(body).toMatchObject({ voice: { id: 'voice_1' }, speed: 1.5, instructions: 'Whisper.' });
    const old = await speak({ instructions: 'Whisper.' });
    expect(old.headers.get('x-ignored-fields')).toBe('instructions');
    expect(api.fake.requests.at(-1)!.body).not.toHaveProperty('instructions');
  });

  // The engines' own tests cover the other voices.
  test.each(['alloy', 'marin'] as const)('the voice %s works with every engine', async (voice) => {
    const asked = async (model: string) => {
      await speak({ model, voice });
      return api.fake.requests.at(-1)!.body.voice;
    };
    expect(await asked('gpt-4o-mini-tts')).toBe(voice);
    // OpenAI's first models have fewer voices.
    const first = await asked('tts-1');
    expect(first).toEqual(voice === 'alloy' ? 'alloy' : expect.not.stringMatching('marin'));
    const embedded = await speak({ model: 'embedded/flite', voice, input: 'No.', response_format: 'pcm' });
    expect((await embedded.arrayBuffer()).byteLength).toBeGreaterThan(10_000);
  });

  test.each([
    [{ input: '' }, 'input'],
    [{ input: 'x'.repeat(4_097) }, 'input'],
    [{ voice: 'unknown' }, 'voice'],
    [{ voice: { id: '' } }, 'voice.id'],
    [{ response_format: 'midi' }, 'response_format'],
    [{ speed: 9 }, 'speed'],
    [{ model: 'embedded/flite', speed: 4 }, 'speed'],
    [{ model: 'no-such-tts' }, 'model'],
    [{ model: 'whisper-1' }, 'model'],
    [{ stream_format: 'x' }, 'stream_format'],
  ])('refuses request %$ at $1', async (body, param) => {
    const error = await speak(body as object).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(error.code === 'model_not_found' ? NotFoundError : BadRequestError);
    expect(error).toMatchObject({ type: 'invalid_request_error', param });
  });

  test('a failure of the provider is an error response, also for frames', async () => {
    for (const stream_format of ['audio', 'sse'] as const) {
      const error = await speak({ model: 'refuse-tts', stream_format }).catch((thrown) => thrown);
      expect(error).toMatchObject({ status: 400, code: 'content_refused' });
    }
  });

  test('a failure after the first audio closes the response, or ends its frames with the error', async () => {
    const broken = { model: 'cut-after-1-tts', input: TEXT.repeat(20), response_format: 'pcm' } as const;
    await expect((await speak(broken)).arrayBuffer()).rejects.toThrow();
    const frames = (await (await speak({ ...broken, stream_format: 'sse' })).text()).trim().split('\n\n');
    expect(frames.length).toBeGreaterThan(1);
    expect(JSON.parse(frames.at(-1)!.replace(/^data: /, ''))).toEqual({
      error: { message: expect.any(String), type: 'server_error', param: null, code: 'provider_error' },
    });
  });

  test('the kind’s own route answers with audio, an event stream, or the execution', async () => {
    const ask = (headers: Record<string, string>, more: object = {}) =>
      api.call('POST', '/speech', { body: { input: TEXT, model: 'openai/tts-1', ...more }, headers });
    const sound = await ask({ accept: 'audio/pcm' });
    expect([sound.status, sound.headers.get('content-type')]).toEqual([200, 'audio/pcm; rate=24000']);
    const { body: events } = await ask({}, { stream: true, format: 'pcm' });
    const deltas = [...String(events).matchAll(/"type":"audio.delta".*?"delta":"([^"]*)"/g)].map(([, delta]) => delta);
    const spoken = Buffer.concat(deltas.map((delta) => Buffer.from(delta ?? '', 'base64')));
    expect(spoken.equals(fakeSpeech(TEXT))).toBe(true);
    const { body: execution } = await ask({}, { format: 'mp3' });
    expect(execution).toMatchObject({
      status: 'succeeded',
      output: [{ type: 'asset', asset: { mime_type: 'audio/mpeg' } }],
    });
  });

  test('the same Idempotency-Key speaks once', async () => {
    const before = api.fake.requests.length;
    const options = { headers: { 'Idempotency-Key': 'spoken' } };
    const body = { input: TEXT, model: 'tts-1', voice: 'alloy', response_format: 'pcm' } as const;
    const one = await client.audio.speech.create(body, options);
    const two = await client.audio.speech.create(body, options);
    expect(Buffer.from(await one.arrayBuffer()).equals(Buffer.from(await two.arrayBuffer()))).toBe(true);
    expect(one.headers.get('x-execution-id')).toBe(two.headers.get('x-execution-id'));
    expect(api.fake.requests).toHaveLength(before + 1);
  });
});

describe('transcriptions', () => {
  const file = () => toFile(wav, 'said.wav');
  const transcribe = async (body: object) =>
    client.audio.transcriptions.create({ file: await file(), model: 'whisper-1', ...body } as never);
  const lastFields = () => Object.fromEntries(api.fake.requests.at(-1)!.form.map(({ name, value }) => [name, value]));

  test('json has the text and what was counted', async () => {
    expect(await transcribe({})).toEqual({ text: 'one two', usage: { type: 'duration', seconds: 2 } });
    expect(await transcribe({ model: 'gpt-4o-transcribe' })).toEqual({
      text: 'one two',
      usage: { type: 'tokens', input_tokens: 12, output_tokens: 3, total_tokens: 15 },
    });
  });

  test('verbose_json has segments and words', async () => {
    const wanted = { response_format: 'verbose_json', timestamp_granularities: ['segment', 'word'] };
    const answer = await transcribe({ ...wanted, language: 'en', prompt: 'Numbers', temperature: 0.2 });
    expect(answer).toEqual({
      task: 'transcribe',
      language: 'english',
      duration: 2,
      text: 'one two',
      segments: ['one', 'two'].map((text, id) => ({
        id,
        seek: 0,
        start: expect.closeTo(id, 0),
        end: expect.closeTo(id + 0.5, 0),
        text,
        tokens: [],
        temperature: 0.2,
        avg_logprob: 0,
        compression_ratio: 1,
        no_speech_prob: 0,
      })),
      words: [
        { word: 'one', start: expect.any(Number), end: expect.any(Number) },
        { word: 'two', start: expect.any(Number), end: expect.any(Number) },
      ],
      usage: { type: 'duration', seconds: 2 },
    });
    expect(lastFields()).toMatchObject({ language: 'en', prompt: 'Numbers', temperature: '0.2' });
    const words = await transcribe({ response_format: 'verbose_json', timestamp_granularities: ['word'] });
    expect(words).toMatchObject({ words: [{ word: 'one' }, { word: 'two' }] });
    expect(words).not.toHaveProperty('segments');
  });

  test('text, srt and vtt are texts', async () => {
    expect(await transcribe({ response_format: 'text' })).toBe('one two\n');
    const time = String.raw`00:00:0\d[,.]\d{3}`;
    const cue = (text: string) => String.raw`${time} --> ${time}\n${text}\n\n`;
    expect(await transcribe({ response_format: 'srt' })).toMatch(new RegExp(`^1\n${cue('one')}2\n${cue('two')}$`));
    expect(await transcribe({ response_format: 'vtt' })).toMatch(new RegExp(`^WEBVTT\n\n${cue('one')}${cue('two')}$`));
    // This model reports no times.
    expect(await transcribe({ response_format: 'srt', model: 'gpt-4o-transcribe' })).toBe(
      '1\n00:00:00,000 --> 00:00:02,000\none two\n\n',
    );
  });

  test('a stream has deltas and the whole text', async () => {
    const stream = await client.audio.transcriptions.create({ file: await file(), model: 'whisper-1', stream: true });
    const events = await Array.fromAsync(stream);
    const text = events.map((event) => (event.type === 'transcript.text.delta' ? event.delta : '')).join('');
    expect(text).toBe('one two');
    expect(events.at(-1)).toEqual({
      type: 'transcript.text.done',
      text: 'one two',
      usage: { type: 'duration', seconds: 2 },
    });
    const failing = client.audio.transcriptions.create({ file: await file(), model: 'refuse-whisper', stream: true });
    await expect(failing).rejects.toMatchObject({ status: 400, code: 'content_refused' });
  });

  test('translations are English', async () => {
    const body = { file: await file(), model: 'whisper-1', prompt: 'Numbers' };
    expect(await client.audio.translations.create(body)).toMatchObject({ text: 'one two' });
    expect(api.fake.requests.at(-1)!.path).toBe('/v1/audio/translations');
    const verbose = await client.audio.translations.create({ ...body, response_format: 'verbose_json' });
    expect(verbose).toMatchObject({
      task: 'translate',
      language: 'english',
      segments: [{ text: 'one' }, { text: 'two' }],
    });
    expect(await client.audio.translations.create({ ...body, response_format: 'vtt' })).toMatch(/^WEBVTT\n\n00:/);
    const error = await client.audio.translations
      .create({ ...body, model: 'embedded/moonshine-tiny' })
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ param: 'model', message: expect.stringContaining('openai/whisper-1') });
  });

  test.each([
    [{ model: 'none' }, 'model'],
    [{ response_format: 'diarized_json' }, 'response_format'],
    [{ include: ['logprobs'] }, 'include'],
    [{ chunking_strategy: { type: 'server_vad' } }, 'chunking_strategy'],
    [{ timestamp_granularities: ['word'] }, 'timestamp_granularities'],
    [
      { model: 'gpt-4o-transcribe', response_format: 'verbose_json', timestamp_granularities: ['word'] },
      'timestamp_granularities',
    ],
    [{ temperature: 7 }, 'temperature'],
    [{ model: 'embedded/moonshine-tiny', language: 'de' }, 'language'],
    [{ model: 'embedded/moonshine-tiny', prompt: 'x' }, 'prompt'],
  ])('refuses %j at %s', async (body, param) => {
    const error = await transcribe(body).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(APIError);
    expect([error.status, error.type, error.param]).toEqual([
      error.code === 'model_not_found' ? 404 : 400,
      'invalid_request_error',
      param,
    ]);
  });

  test('refuses a file that is not audio', async () => {
    const error = await transcribe({ file: await toFile(TINY_PNG, 'x.wav') }).catch((thrown) => thrown);
    expect(error).toMatchObject({ status: 400, param: 'file', message: expect.stringContaining('image/png') });
    const missing = await transcribe({ file: undefined }).catch((thrown) => thrown);
    expect(missing.status).toBe(400);
  });

  test('the embedded engines understand what they speak', async () => {
    const said = 'The train to the mountains leaves at nine in the morning.';
    const spoken = await client.audio.speech.create({
      model: 'embedded/flite',
      voice: 'nova',
      input: said,
      response_format: 'wav',
    });
    const asked = {
      file: await toFile(await spoken.arrayBuffer(), 'said.wav'),
      model: 'embedded/moonshine-tiny',
      response_format: 'verbose_json' as const,
      temperature: 0,
    };
    const { data: heard, response } = await client.audio.transcriptions.create(asked).withResponse();
    expect(JSON.parse(response.headers.get('x-warnings') ?? '')).toEqual([expect.stringContaining('no temperature')]);
    expect(heard.text.toLowerCase()).toMatch(/train to the mountains leaves at nine in the morning/);
    expect(heard).toMatchObject({ language: 'english', segments: [{ id: 0, start: expect.any(Number) }] });
    expect(heard.segments?.[0]?.end).toBeLessThanOrEqual(heard.duration + 0.001);
  });
});
