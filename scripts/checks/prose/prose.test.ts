import { expect, test } from 'vitest';
import { checkText } from './check-prose.ts';
import { loadDictionary } from './dictionary.ts';

const dictionary = loadDictionary();
const findings = (source: string, path = 'packages/a/src/a.ts') =>
  checkText(path, source, dictionary).map((line) => line.slice(path.length + 1));

test('finds banned phrases in comments, messages, and documents, across lines', () => {
  expect(findings('/** Waits for\n * ever. */\nconst a = 1;')).toEqual(['1: "for ever"']);
  expect(findings('\nthrow new Error(`The caller is told this`);')).toEqual(['2: "told"']);
  expect(findings('A job\nlies here.', 'docs/a.md')).toEqual(['2: "lies"']);
  expect(findings("test('a caller is told', () => {});", 'packages/a/src/a.test.ts')).toEqual(['1: "told"']);
});

test('finds riddles, misspellings, repeated units, and long lines in comments', () => {
  expect(findings('// Waits. What comes\n// is kept. So it ends.')).toEqual([
    '1: a sentence that begins with "What"',
    '2: a sentence that begins with "So"',
  ]);
  expect(findings('// Recieves colours.')).toEqual(['1: unknown word "Recieves"', '1: unknown word "colours"']);
  expect(findings('/** Idle time, in milliseconds. */\nconst IDLE_MS = 1;')).toEqual([
    '1: "in milliseconds" beside a name that says it',
  ]);
  expect(findings(`const a = 1;\n// ${'word '.repeat(24)}`)).toEqual(['2: a comment of 123 columns (at most 120)']);
});

test('accepts plain prose, code in backticks, links, identifiers, and data', () => {
  const plain = '/** Returns the `told` flag of an AbortSignal; see https://example.org/anew. */';
  expect(findings(`${plain}\nconst told = 'told';\n`)).toEqual([]);
  expect(findings('~~~\nanew\n~~~\nUse `anew`.', 'docs/a.md')).toEqual([]);
  expect(findings("const answer = 'he told us a story';", 'packages/a/src/a.test.ts')).toEqual([]);
});
