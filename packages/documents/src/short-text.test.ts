import { createLogger } from '@chorus/runtime/log';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDocuments, isShortText } from './create-documents.ts';
import { startTestParser, type TestParser, TYPES } from './test-parsing.ts';

const documents = createDocuments({ log: createLogger({ name: 'test', level: 'silent' }) });
let parser: TestParser;
beforeAll(async () => {
  parser = await startTestParser();
});
afterAll(async () => {
  await Promise.all([parser.close(), documents.close()]);
});

const here = (filename: string, text: string | Uint8Array) => {
  const mimeType = TYPES[filename.split('.').at(-1) as keyof typeof TYPES];
  return documents.parseText({ bytes: Buffer.from(text), mimeType, filename });
};

test.each<[string, string, string | Uint8Array]>([
  [
    'Markdown',
    'a.md',
    '---\ntitle: Trees\n---\n# Oaks\n\nThey *last*.\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n',
  ],
  ['plain text', 'a.txt', 'One paragraph.\n\nAnd another.'],
  ['code', 'a.json', '{\n  "a": 1\n}\n'],
  ['another encoding', 'a.txt', Buffer.from('Früh am Morgen', 'latin1')],
  ['nested quotes', 'a.md', '> '.repeat(8_000)],
  ['unclosed brackets', 'a.md', `# ${'['.repeat(7_000)}\n\n${'*'.repeat(7_000)}`],
  ['unfinished tags', 'a.md', `<p>x\n${'<!--'.repeat(2_000)}\n${'<'.repeat(7_000)}`],
  ['a column for each letter', 'a.md', `|${'a|'.repeat(3_000)}\n|${'-|'.repeat(3_000)}\n`],
])('reads %s as a child process does', async (_name, filename, text) => {
  expect(await here(filename, text)).toEqual(await parser.parse(filename, text));
});

test('reports the same problems', async () => {
  for (const [filename, text] of [
    ['a.md', ''],
    ['a.md', ' \n '],
    ['a.txt', Buffer.alloc(100)],
  ] as const) {
    const fault = await parser.fault(filename, text);
    await expect(here(filename, text)).rejects.toMatchObject(fault);
  }
});

test('leaves long texts and other formats to child processes', () => {
  const isShort = (filename: string, sizeBytes: number) =>
    isShortText({ mimeType: TYPES[filename.split('.').at(-1) as keyof typeof TYPES], filename, sizeBytes });
  expect(['a.md', 'a.txt', 'a.json'].map((name) => isShort(name, 16_384))).toEqual([true, true, true]);
  expect(['a.pdf', 'a.html', 'a.csv', 'a.docx', 'a.png'].map((name) => isShort(name, 100))).toEqual(
    Array(5).fill(false),
  );
  expect(isShort('a.md', 16_385)).toBe(false);
  for (const mimeType of ['audio/mpeg', 'video/mp4', 'application/msword'])
    expect(isShortText({ mimeType, filename: 'note', sizeBytes: 9_000 })).toBe(false);
});
