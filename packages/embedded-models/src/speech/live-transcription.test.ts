import { SPEECH_RATE } from '@chorus/contract';
import { expect, test } from 'vitest';
import { EmbeddedLiveTranscription, type Transcribe } from './live-transcription.ts';
import { splitAtPauses } from './split-at-pauses.ts';

// The model is a stand-in that returns each sound's length, so tests see every request.

const signal = new AbortController().signal;
const secondsOf = (pcm16: Uint8Array) => pcm16.length / 2 / SPEECH_RATE;
const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: null };

function sound(seconds: number, loudness = 0.3): Uint8Array {
  const samples = new Int16Array(Math.round(seconds * SPEECH_RATE));
  for (const at of samples.keys()) samples[at] = loudness * 32_767 * Math.sin(at / 20);
  return new Uint8Array(samples.buffer);
}

function open(own: AbortSignal = signal, transcribe?: Transcribe, confidence = 0) {
  const asked: { seconds: number; urgent: boolean }[] = [];
  const hear: Transcribe = async (pcm16, { now }) => {
    asked.push({ seconds: secondsOf(pcm16), urgent: now });
    return { text: `${secondsOf(pcm16).toFixed(1)}s`, confidence };
  };
  const live = new EmbeddedLiveTranscription(
    transcribe ?? hear,
    (text, bytes) => ({ text, segments: [], words: [], language: 'en', durationS: bytes / 2 / SPEECH_RATE, usage }),
    Promise.resolve(),
    own,
  );
  return { live, asked };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('transcribes after a second of speech, at a pause, and only new speech at the end', async () => {
  const { live, asked } = open();
  for (let at = 0; at < 5; at += 1) live.push(sound(0.1));
  await settled();
  expect(asked).toEqual([]);
  live.push(sound(0.5));
  await settled();
  expect(asked).toEqual([{ seconds: 1, urgent: false }]);
  live.push(sound(0.3));
  live.push(sound(0.2, 0));
  await settled();
  expect(asked.slice(1)).toEqual([{ seconds: 1.5, urgent: false }]);
  live.push(sound(2, 0.001));
  expect(await live.end()).toMatchObject({ text: '1.5s', durationS: 3.5 });
  expect(asked).toHaveLength(2);
});

test('requests the last words urgently at the end', async () => {
  const { live, asked } = open();
  live.push(sound(0.4));
  expect((await live.end()).text).toBe('0.4s');
  expect(asked).toEqual([{ seconds: 0.4, urgent: true }]);
});

test('waits for the running request at the end, unless it lacks the last words', async () => {
  const asked: { seconds: number; urgency: { now: boolean }; signal: AbortSignal; answer(): void }[] = [];
  const slow: Transcribe = (pcm16, urgency, own) =>
    new Promise((resolve, reject) => {
      own.addEventListener('abort', () => reject(own.reason), { once: true });
      asked.push({
        seconds: secondsOf(pcm16),
        urgency,
        signal: own,
        answer: () => resolve({ text: 'words', confidence: 0 }),
      });
    });
  const { live } = open(signal, slow);
  live.push(sound(1));
  live.push(sound(0.1, 0));
  const end = live.end();
  expect(asked).toMatchObject([{ seconds: 1, urgency: { now: true } }]);
  asked[0]!.answer();
  expect((await end).text).toBe('words');

  const { live: other } = open(signal, slow);
  other.push(sound(1));
  other.push(sound(0.5));
  const last = other.end();
  expect(asked[1]!.signal.aborted).toBe(true);
  await settled();
  expect(asked[2]).toMatchObject({ seconds: 1.5, urgency: { now: true } });
  asked[2]!.answer();
  expect((await last).text).toBe('words');
});

test('doubts guessed speech', async () => {
  const { live } = open(signal, undefined, -1);
  live.push(sound(4));
  expect(await live.end()).toMatchObject({ text: '4.0s', doubt: 'foreign' });
  const { live: short } = open(signal, undefined, -1);
  short.push(sound(1));
  expect(await short.end()).toMatchObject({ text: '1.0s', doubt: 'unclear' });
});

test('requests nothing for silence', async () => {
  const { live, asked } = open();
  live.push(sound(3, 0.002));
  expect((await live.end()).text).toBe('');
  expect(asked).toEqual([]);
});

test('cuts long speech at pauses and does not repeat earlier sections', async () => {
  const { live, asked } = open();
  for (let at = 0; at < 300; at += 1) {
    live.push(at === 140 || at === 141 ? sound(0.1, 0) : sound(0.1));
    await settled();
  }
  const { text } = await live.end();
  expect(text).toMatch(/^14\.1s /);
  for (const { seconds } of asked) expect(seconds).toBeLessThan(25.1);
  const whole = Buffer.concat([sound(14), sound(0.2, 0), sound(40)]);
  const lengths = splitAtPauses(whole).map(secondsOf);
  expect(lengths[0]).toBeCloseTo(14.1, 1);
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBeCloseTo(54.2, 5);
  for (const length of lengths) expect(length).toBeLessThanOrEqual(24.1);
});

test('yields only the newest text to slow readers, and ends with it', async () => {
  const { live } = open();
  live.push(sound(1));
  await settled();
  live.push(sound(1));
  await settled();
  const partials = live.partials[Symbol.asyncIterator]();
  expect(await partials.next()).toEqual({ done: false, value: '2.0s' });
  const next = partials.next();
  await live.end();
  expect(await next).toMatchObject({ done: true });
});

test('ends immediately when closed or aborted, and reports failures at the end', async () => {
  const controller = new AbortController();
  const { live } = open(controller.signal);
  const next = live.partials[Symbol.asyncIterator]().next();
  const reason = new Error('cancelled');
  controller.abort(reason);
  expect(await next).toMatchObject({ done: true });
  await expect(live.end()).rejects.toBe(reason);

  const { live: broken } = open(signal, () => Promise.reject(new Error('no model')));
  broken.push(sound(2));
  await settled();
  await expect(broken.end()).rejects.toThrow('no model');
});

test('limits the length', () => {
  const { live } = open();
  const minute = new Uint8Array(60 * SPEECH_RATE * 2);
  for (let at = 0; at < 10; at += 1) live.push(minute);
  expect(() => live.push(minute)).toThrow(expect.objectContaining({ code: 'payload_too_large' }));
});
