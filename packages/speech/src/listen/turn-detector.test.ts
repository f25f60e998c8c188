import { DEFAULT_TURN_DETECTION, turnDetection } from '@chorus/contract';
import { expect, test } from 'vitest';
import { TurnDetector } from './turn-detector.ts';
import { thresholdsOf } from './turn-settings.ts';
import { FRAME_MS } from './voice-activity.ts';

const frames = (probability: number, ms: number) => Array(Math.round(ms / FRAME_MS)).fill(probability);
const usual = thresholdsOf(DEFAULT_TURN_DETECTION, null);

const run = (probabilities: number[], detector = new TurnDetector(usual)) =>
  probabilities.flatMap((probability) => detector.push(probability) ?? []);

test('starts a turn with padding and ends it after silence', () => {
  const events = run([...frames(0.1, 1_600), ...frames(0.9, 960), ...frames(0.1, 1_600)]);
  expect(events).toEqual([
    { type: 'speech_started', audio_start_ms: 1_300 },
    { type: 'speech_stopped', audio_end_ms: 1_600 + 960 + 512 },
  ]);
});

test('ignores clicks and short pauses', () => {
  expect(run([...frames(0.1, 320), ...frames(0.99, 64), ...frames(0.1, 640)])).toEqual([]);
  const withPause = [...frames(0.9, 640), ...frames(0.1, 320), ...frames(0.9, 640), ...frames(0, 640)];
  expect(run(withPause).map(({ type }) => type)).toEqual(['speech_started', 'speech_stopped']);
});

test('continues a fading voice until below the threshold', () => {
  const detector = new TurnDetector(usual);
  run([...frames(0.9, 640), ...frames(0.4, 3_200)], detector);
  expect(detector.speaking).toBe(true);
  expect(run(frames(0.3, 640), detector)).toHaveLength(1);
  expect(detector.speaking).toBe(false);
});

test('distinguishes a cough from an interruption', () => {
  const detector = new TurnDetector(usual);
  run(frames(0.9, 320), detector);
  expect(detector.speechMs).toBe(320);
  run(frames(0.1, 192), detector);
  expect([detector.speechMs, detector.silenceMs, detector.speaking]).toEqual([320, 192, true]);
});

test('keeps earlier speech out of the next turn, and can be stopped manually', () => {
  const detector = new TurnDetector({ ...usual, prefixMs: 5_000 }, 10_000);
  expect(run(frames(0.9, 320), detector)).toEqual([{ type: 'speech_started', audio_start_ms: 10_016 }]);
  expect(detector.stop()).toEqual({ type: 'speech_stopped', audio_end_ms: 10_336 });
  expect(detector.stop()).toBeNull();
  expect(run(frames(0.9, 320), detector)).toEqual([{ type: 'speech_started', audio_start_ms: 10_336 }]);
});

test.each([
  ['high', 'I would like to', 900],
  ['high', 'I would like to go.', 300],
  ['auto', 'Yes.', 500],
  ['auto', 'Well, because', 1_500],
  ['low', 'I know...', 3_000],
  ['low', null, 900],
  ['medium', 'Ich komme morgen, weil.', 1_500],
  ['auto', '你好。', 500],
] as const)('waits with %s eagerness after %j for %i ms', (eagerness, heard, silenceMs) => {
  expect(thresholdsOf(turnDetection.parse({ type: 'semantic_vad', eagerness }), heard).silenceMs).toBe(silenceMs);
});

test('uses the defaults and limits of the Realtime API', () => {
  expect(DEFAULT_TURN_DETECTION).toEqual({
    type: 'server_vad',
    threshold: 0.5,
    prefix_padding_ms: 300,
    silence_duration_ms: 500,
    create_response: true,
    interrupt_response: true,
  });
  for (const wrong of [{ threshold: 2 }, { silence_duration_ms: 1e9 }, { type: 'none' }])
    expect(turnDetection.safeParse({ type: 'server_vad', ...wrong }).success).toBe(false);
});
