import { expect, test } from 'vitest';
import { sectionsOf } from './sections-of.ts';

test.each([
  ['a short text', 'One. Two.', ['One. Two.']],
  ['sentences', 'One two. Three four. Five.', ['One two.', 'Three four.', 'Five.']],
  ['a quotation', '“Go!” she said. “No.”', ['“Go!”', 'she said.', '“No.”']],
  ['lines', 'one two\nthree\nfour', ['one two', 'three\nfour']],
  ['words', 'one two three four', ['one two', 'three four']],
  ['a long word', 'abcdefghijklmnopqrstuvw', ['abcdefghijkl', 'mnopqrstuvw']],
  ['a surrogate pair', 'abcdefghijk😀l', ['abcdefghijk', '😀l']],
  ['Chinese', '一二三四五。六七八九十。', ['一二三四五。六七八九十。']],
  ['spaces', '            ', []],
])('cuts %s', (_name, text, sections) => {
  expect(sectionsOf(text, 12)).toEqual(sections);
});
