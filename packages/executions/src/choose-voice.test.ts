import { OPENAI_VOICES } from '@chorus/contract';
import { expect, test } from 'vitest';
import { chooseVoice } from './choose-voice.ts';

const voices = [
  { model: 'embedded/kokoro', id: 'af_heart' },
  { model: 'embedded/kokoro', id: 'am_adam' },
  { model: 'embedded/flite', id: 'slt' },
  { model: 'elevenlabs/eleven_v3', id: '21m00Tcm4TlvDq8ikWAM', stands_for: ['nova'] },
  { model: 'openai/gpt-4o-mini-tts', id: 'alloy' },
];
const choose = (model: string, asked: string | null) => chooseVoice(voices, { model, asked, path: 'body.voice' });

test('uses a known voice, or the default if none is named', () => {
  expect(choose('embedded/kokoro', 'am_adam')).toBe('am_adam');
  expect(choose('embedded/kokoro', null)).toBeNull();
});

test.each(OPENAI_VOICES)('the OpenAI voice %s works with every engine', (name) => {
  expect(choose('embedded/kokoro', name)).toBe(name);
  expect(choose('openai/gpt-4o-mini-tts', name)).toBe(name);
  expect(choose('elevenlabs/eleven_v3', name)).toBe(name === 'nova' ? '21m00Tcm4TlvDq8ikWAM' : null);
  expect(choose('deepgram/aura-2', name)).toBeNull();
});

test('passes custom voices of a provider on', () => {
  expect(choose('elevenlabs/eleven_v3', 'myOwnVoice')).toBe('myOwnVoice');
  expect(choose('openai/gpt-4o-mini-tts', 'voice_123')).toBe('voice_123');
  expect(() => choose('openai/gpt-4o-mini-tts', 'voice 123')).toThrow(/body\.voice: must be a voice of/);
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
