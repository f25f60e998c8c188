import { expect, test } from 'vitest';
import { chooseVoice } from './choose-voice.ts';

const voices = [
  { model: 'embedded/kokoro', id: 'af_heart' },
  { model: 'embedded/kokoro', id: 'am_adam' },
  { model: 'embedded/flite', id: 'slt' },
  { model: 'elevenlabs/eleven_v3', id: '21m00Tcm4TlvDq8ikWAM' },
  { model: 'openai/gpt-4o-mini-tts', id: 'alloy' },
];
const choose = (model: string, asked: string | null) => chooseVoice(voices, { model, asked, path: 'body.voice' });

test('uses a known voice, and the default without one', () => {
  expect(choose('embedded/kokoro', 'am_adam')).toBe('am_adam');
  expect(choose('embedded/kokoro', null)).toBeNull();
});

test('OpenAI voice names work with every engine', () => {
  expect(choose('embedded/kokoro', 'alloy')).toBe('alloy');
  expect(choose('openai/gpt-4o-mini-tts', 'alloy')).toBe('alloy');
  expect(choose('openai/gpt-4o-mini-tts', 'marin')).toBeNull();
  expect(choose('deepgram/aura-2', 'nova')).toBeNull();
});

test('passes custom voices of a provider on', () => {
  expect(choose('elevenlabs/eleven_v3', 'myOwnVoice')).toBe('myOwnVoice');
});

test('refuses an unknown voice and lists those of the model', () => {
  expect(() => choose('embedded/kokoro', 'slt')).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      details: [{ path: 'body.voice', message: expect.stringMatching(/embedded\/kokoro: af_heart, am_adam,/) }],
    }),
  );
  expect(() => choose('deepgram/aura-2', 'slt')).toThrow(/must be omitted/);
});
