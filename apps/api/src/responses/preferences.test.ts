import { expect, test } from 'vitest';
import { acceptedSound } from './preferences.ts';

test.each([
  [undefined, null],
  ['*/*', null],
  ['application/json', null],
  ['application/json, audio/*', null],
  ['audio/*', 'mp3'],
  ['audio/mpeg', 'mp3'],
  ['audio/ogg; codecs=opus', 'opus'],
  ['application/json;q=0.5, audio/wav', 'wav'],
  ['audio/webm,audio/ogg,audio/wav,audio/*;q=0.9,application/ogg;q=0.7,*/*;q=0.5', 'opus'],
  ['Audio/FLAC;q=0.3', 'flac'],
  ['audio/flac;q=0, audio/pcm', 'pcm'],
  ['audio/midi', null],
  ['audio/midi, constructor', null],
  ['audio/mpeg;q=nonsense', null],
])('%s wants %s', (accept, format) => {
  expect(acceptedSound(accept)).toBe(format);
});
