import '../../../i18n/use-english.ts';
import { expect, test } from 'vitest';
import { itemsFromCsv, itemsFromLines, parseCsv } from './batch-items.ts';

const field = (name: string, type: 'text' | 'number' = 'text') => ({ name, type, required: false });
const FIELDS = [field('prompt'), field('n', 'number'), field('size')];

test('turns each non-empty line into a prompt', () => {
  expect(itemsFromLines(' a red sun \n\na moon\n').items).toEqual([
    { body: { prompt: 'a red sun' } },
    { body: { prompt: 'a moon' } },
  ]);
});

test('parses quoted fields with separators, quotes, and line breaks', () => {
  const text = '\uFEFFprompt,n\r\n"a ""red"" sun,\nlow",2\r\n\r\nmoon,1';
  expect(parseCsv(text)).toEqual([
    ['prompt', 'n'],
    ['a "red" sun,\nlow', '2'],
    ['moon', '1'],
  ]);
  expect(parseCsv('prompt;size\nsun, red;64x64')).toEqual([
    ['prompt', 'size'],
    ['sun, red', '64x64'],
  ]);
});

test('maps columns to fields, parses numbers, and skips empty fields', () => {
  expect(itemsFromCsv('ID,Prompt,n,size\nsun,a sun,2,\n,a moon,,64x64', FIELDS).items).toEqual([
    { id: 'sun', body: { prompt: 'a sun', n: 2 } },
    { body: { prompt: 'a moon', size: '64x64' } },
  ]);
});

test('reports invalid input', () => {
  expect(itemsFromCsv('text\nsun', FIELDS).problem).toContain('prompt');
  expect(itemsFromCsv('prompt,colour\nsun,red', FIELDS).problem).toContain('colour');
  expect(itemsFromCsv('prompt,n\nsun,2\nmoon,two', FIELDS).problem).toBe('Row 2: “two” is not a number (n).');
  expect(itemsFromLines('x\n'.repeat(10_001)).problem).toContain('10,000');
});
