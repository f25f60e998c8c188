import fc from 'fast-check';
import { expect, it } from 'vitest';
import { titleFrom } from './title.ts';

it('uses the first words of a message, on one line', () => {
  expect(titleFrom('Hello')).toBe('Hello');
  expect(titleFrom('  What\n\tis\u0000 this?\u2028 ')).toBe('What is this?');
  expect(titleFrom('one two three four five six seven eight nine ten eleven twelve thirteen')).toBe(
    'one two three four five six seven eight nine ten eleven',
  );
  expect(titleFrom(`${'a'.repeat(60)} b`)).toBe('a'.repeat(60));
  expect(titleFrom(' \n ')).toBeNull();
});

it('cuts a long word between grapheme clusters', () => {
  expect(titleFrom('x'.repeat(100))).toBe('x'.repeat(60));
  expect(titleFrom('漢'.repeat(100))).toBe('漢'.repeat(60));
  const family = '👨‍👩‍👧‍👦';
  expect(titleFrom(family.repeat(20))).toBe(family.repeat(Math.floor(60 / family.length)));
});

it('has at most 60 characters, without line breaks or partial characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (message) => {
      const title = titleFrom(message);
      if (title === null) {
        expect(message.replace(/[\p{Cc}\s]/gu, '')).toBe('');
        return;
      }
      expect(title.length).toBeGreaterThan(0);
      expect(title.length).toBeLessThanOrEqual(60);
      expect(title).toBe(title.trim());
      expect(title).not.toMatch(/[\r\n\t\u2028\u2029]/);
      if (message.isWellFormed()) expect(title.isWellFormed()).toBe(true);
    }),
    { seed: 7 },
  );
});
