import '../i18n/use-english.ts';
import { expect, test } from 'vitest';
import { describeRejected, isAccepted } from './accepted-files.ts';

test.each([
  ['.pdf,image/*', 'scan.PDF', '', true],
  ['.pdf,image/*', 'photo.heic', 'image/heic', true],
  ['.pdf,image/*', 'song.mp3', 'audio/mpeg', false],
  ['image/*,application/pdf', 'a', 'application/pdf', true],
  ['image/*,application/pdf', 'setup.exe', '', false],
])('%s accepts %s of type %j: %j', (accept, name, type, accepted) => {
  expect(isAccepted(accept, { name, type })).toBe(accepted);
});

test('names the files that are left out', () => {
  expect(describeRejected(['setup.exe'], 'images')).toEqual({
    title: '“setup.exe” has an unsupported type',
    advice: 'Supported: images.',
  });
  expect(describeRejected(['a.exe', 'b.zip'], 'images')).toEqual({
    title: '2 files have an unsupported type',
    advice: 'a.exe, b.zip. Supported: images.',
  });
});
