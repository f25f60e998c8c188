import { expect, test } from 'vitest';
import { tidyTitle } from './chat-title.ts';

test.each([
  ['Trip to Rome', 'Trip to Rome'],
  ['  "Trip to Rome."  ', 'Trip to Rome'],
  ['# Title: **Trip to Rome**\n\nIt is short.', 'Trip to Rome'],
  ['「東京の天気」', '東京の天気'],
  ['„Wetter in Köln“', 'Wetter in Köln'],
  ['And then…', 'And then…'],
  ['C++', 'C++'],
  ['```\nGit rebase\n```', 'Git rebase'],
  ['', null],
  ['"…"', null],
])('%j becomes %j', (text, title) => expect(tidyTitle(text)).toBe(title));
