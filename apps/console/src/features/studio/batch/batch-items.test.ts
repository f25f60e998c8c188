import { expect, test } from 'vitest';
import { itemsOfCsv, itemsOfLines } from './batch-items.ts';
import { parseCsv } from './parse-csv.ts';

test('each line that is not empty is a prompt', () => {
  expect(itemsOfLines(' a red sun \n\na moon\n').items).toEqual([
    { body: { prompt: 'a red sun' } },
    { body: { prompt: 'a moon' } },
  ]);
});

test('quoted fields hold separators, quotes and ends of lines', () => {
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

test('columns become the fields of each item, numbers as numbers; empty ones are left out', () => {
  expect(itemsOfCsv('ID,Prompt,n,size\nsun,a sun,2,\n,a moon,,64x64').items).toEqual([
    { id: 'sun', body: { prompt: 'a sun', n: 2 } },
    { body: { prompt: 'a moon', size: '64x64' } },
  ]);
});

test('what can be no batch is said', () => {
  expect(itemsOfCsv('text\nsun').problem).toContain('prompt');
  expect(itemsOfCsv('prompt,colour\nsun,red').problem).toContain('colour');
  expect(itemsOfCsv('prompt,n\nsun,2\nmoon,two').problem).toBe('Row 2: “two” is no number (n).');
  expect(itemsOfLines('x\n'.repeat(10_001)).problem).toContain('10,000');
});
