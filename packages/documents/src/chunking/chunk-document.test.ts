import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Block } from '../documents.ts';
import { DEFAULT_SETTINGS } from './chunk.ts';
import { chunkDocument, chunkInTurns } from './chunk-document.ts';
import { countTokens } from './count-tokens.ts';

const heading = (text: string, level: number, page: number | null = null): Block => ({
  type: 'heading',
  level,
  text,
  page,
});
const paragraph = (text: string, page: number | null = null): Block => ({ type: 'paragraph', text, page });
const block = (type: Block['type'], text: string): Block => ({ type, text, page: null });
/** Builds sentences of about twelve tokens. */
const sentences = (count: number, about = 'rabbit') =>
  Array.from({ length: count }, (_, index) => `The ${about} of number ${index} digs a burrow here.`).join(' ');
const chunks = (blocks: Block[], settings = {}) => chunkDocument({ blocks }, settings);
const small = { targetTokens: 40, maxTokens: 60 };

describe('sections', () => {
  test('keeps a chunk under its headings and never crosses the next heading', () => {
    const found = chunks([
      heading('Animals', 1),
      paragraph(sentences(10)),
      heading('Food', 2),
      paragraph(sentences(10, 'meal')),
      heading('Plants', 1),
      paragraph(sentences(10, 'plant')),
    ]);
    expect(found.map(({ heading_path, text, position }) => [position, heading_path, text])).toEqual([
      [0, ['Animals'], sentences(10)],
      [1, ['Animals', 'Food'], sentences(10, 'meal')],
      [2, ['Plants'], sentences(10, 'plant')],
    ]);
  });

  test('joins short sections under one heading and keeps their headings in the text', () => {
    const [only, ...others] = chunks([
      heading('Words', 1),
      heading('Doe', 2),
      paragraph('A female.'),
      heading('Buck', 2),
      paragraph('A male.'),
    ]);
    expect(others).toEqual([]);
    expect(only).toMatchObject({ heading_path: ['Words'], text: 'Doe\n\nA female.\n\nBuck\n\nA male.', kind: 'text' });
  });

  test('keeps headings without text', () => {
    const found = chunks([heading('Alone', 1), heading('Next', 1), paragraph('Text.'), heading('Last', 2)]);
    expect(found.map(({ text }) => text)).toEqual(['Alone\n\nNext\n\nText.\n\nLast']);
    expect(chunks([heading('Only this', 1)])).toEqual([
      { position: 0, text: 'Only this', heading_path: [], page: null, kind: 'text' },
    ]);
  });

  test('accepts skipped levels, records the page where a chunk begins, and does not merge short pages', () => {
    const found = chunks([
      heading('A', 1, 1),
      heading('A.1.1', 3, 1),
      paragraph(sentences(15), 1),
      paragraph(sentences(15, 'doe'), 2),
      paragraph('A word.', 3),
      paragraph('Another.', 5),
      heading('B', 2, 9),
      paragraph(sentences(3, 'buck'), 9),
    ]);
    expect(found.map(({ heading_path, page }) => [page, ...heading_path])).toEqual([
      [1, 'A', 'A.1.1'],
      [2, 'A', 'A.1.1'],
      [3, 'A', 'A.1.1'],
      [9, 'A', 'B'],
    ]);
  });
});

describe('text', () => {
  test('cuts between sentences and repeats the last sentence of the previous chunk', () => {
    const text = sentences(9);
    const found = chunks([paragraph(text)], { targetTokens: 50, maxTokens: 60 });
    expect(found.length).toBeGreaterThan(2);
    for (const [index, chunk] of found.entries()) {
      expect(text).toContain(chunk.text);
      expect(chunk.text).toMatch(/^The .* here\.$/);
      const before = found[index - 1];
      if (before) expect(before.text.endsWith(chunk.text.slice(0, chunk.text.indexOf('.') + 1))).toBe(true);
    }
    const bare = chunks([paragraph(text)], { ...small, overlapSentences: 0 });
    expect(bare.map((chunk) => chunk.text).join(' ')).toBe(text);
  });

  test('overlaps only within a section', () => {
    const found = chunks([paragraph(sentences(5)), heading('Next', 1), paragraph(sentences(4, 'doe'))], small);
    const next = found.find(({ heading_path }) => heading_path[0] === 'Next');
    expect(next?.text).toMatch(/^The doe of number 0/);
  });

  test('does not end sentences at titles, initials, or line breaks', () => {
    const text = 'Dr. J. Smith, cf. Fig. 3, saw\nrabbits at home. They ran away from him.';
    const found = chunks([paragraph(text)], { targetTokens: 16, maxTokens: 20, overlapSentences: 0 });
    expect(found.map((chunk) => chunk.text)).toEqual([
      'Dr. J. Smith, cf. Fig. 3, saw\nrabbits at home.',
      'They ran away from him.',
    ]);
  });

  test.each([
    [
      'Chinese, at its full stops',
      '兔子住在地下的洞里。它们在黄昏时出来吃草。很多人喜欢兔子，也有人养兔子。'.repeat(6),
      /[。，]$/,
    ],
    ['Japanese, at its full stops', 'うさぎは巣穴に住んでいる。夕方になると草を食べに出てくる。'.repeat(8), /。$/],
    ['Thai, between its words', 'กระต่ายอาศัยอยู่ในโพรงใต้ดินและออกมากินหญ้าในเวลาพลบค่ำ'.repeat(8), /[\u0e00-\u0e7f]$/],
    ['surrogate pairs', '🐇🥕'.repeat(300), /^(?:🐇|🥕)+$/u],
    ['an endless word', 'a'.repeat(2_000), /^a+$/],
  ])('%s', (_name, text, ending) => {
    const found = chunks([paragraph(text)], { ...small, overlapSentences: 0 });
    expect(found.length).toBeGreaterThan(2);
    expect(found.map((chunk) => chunk.text).join('')).toBe(text);
    const words = new Set(
      [...new Intl.Segmenter('th', { granularity: 'word' }).segment(text)].map(({ index }) => index),
    );
    let at = 0;
    for (const chunk of found) {
      expect(chunk.text).toMatch(ending);
      expect(chunk.text.isWellFormed()).toBe(true);
      if (/[\u0e00-\u0e7f]/.test(text)) expect(at === 0 || words.has(at)).toBe(true);
      at += chunk.text.length;
    }
  });
});

describe('tables, code and lists', () => {
  const head = '| Kind | Price |\n| --- | --- |';
  const rows = Array.from({ length: 40 }, (_, index) => `| hay of sort ${index} | ${index} |`);

  test('cuts a long table between rows and repeats the header; keeps a small table with its text', () => {
    const found = chunks(
      [heading('Prices', 1), paragraph('As they are:'), block('table', [head, ...rows].join('\n'))],
      small,
    );
    const tables = found.filter(({ kind }) => kind === 'table');
    expect(tables.length).toBeGreaterThan(3);
    for (const { text, heading_path } of tables) {
      expect(text.startsWith(`${head}\n| hay`)).toBe(true);
      expect(heading_path).toEqual(['Prices']);
    }
    expect(tables.flatMap(({ text }) => text.split('\n').slice(2))).toEqual(rows);
    const short = [head, ...rows.slice(0, 3)].join('\n');
    expect(chunks([paragraph('As they are:'), block('table', short)]).map(({ text }) => text)).toEqual([
      `As they are:\n\n${short}`,
    ]);
  });

  test('cuts a row longer than a chunk and does not repeat an oversized header', () => {
    const long = chunks([block('table', `${head}\n| ${'word '.repeat(200)} | 1 |`)], small);
    for (const { text } of long) expect(countTokens(text)).toBeLessThanOrEqual(small.maxTokens);
    const wide = `| ${'name '.repeat(60)}|\n| --- |`;
    const found = chunks([block('table', `${wide}\n| a |\n| b |`)], small);
    expect(found.map(({ text }) => text).join('\n')).toContain('| a |\n| b |');
    for (const { text } of found) expect(countTokens(text)).toBeLessThanOrEqual(small.maxTokens);
  });

  test('keeps code whole if it fits, otherwise cuts at blank lines, then lines; keeps indentation', () => {
    const stanza = (name: string) => `function ${name}() {\n  eat(${name}, 'grass');\n  sleep(${name});\n}`;
    const whole = chunks([paragraph(sentences(2)), block('code', stanza('doe'))], { targetTokens: 30, maxTokens: 60 });
    expect(whole.map(({ kind, text }) => `${kind} ${text.slice(0, 8)}`)).toEqual(['text The rabb', 'code function']);
    const code = ['doe', 'buck', 'kit', 'hare', 'leveret'].map(stanza).join('\n\n');
    const found = chunks([block('code', code)], small);
    expect(found.length).toBeGreaterThan(1);
    for (const { text, kind } of found) {
      expect(kind).toBe('code');
      expect(text).toMatch(/^function[\s\S]*\n}$/);
    }
    expect(found.map(({ text }) => text).join('\n\n')).toBe(code);
    const line = `  if (${'rabbit && '.repeat(100)}true) {\n    run();\n  }`;
    expect(chunks([block('code', line)], small).at(-1)?.text).toMatch(/\n {4}run\(\);\n {2}}$/);
  });

  test('cuts lists between items and keeps nested lines with their item', () => {
    const list = Array.from({ length: 8 }, (_, index) => `- item ${index} of this list\n  - that belongs to it`).join(
      '\n',
    );
    const found = chunks([block('list', list)], { ...small, overlapSentences: 0 });
    expect(found.length).toBeGreaterThan(1);
    for (const { text } of found) expect(text).toMatch(/^- item [\s\S]*belongs to it$/);
    expect(found.map(({ text }) => text).join('\n')).toBe(list);
  });
});

test('loses nothing, adds nothing, and creates no oversized chunk, for any document', () => {
  const word = fc.constantFrom(
    'rabbit',
    'Kaninchen',
    '兔子住在洞里',
    'кролик',
    'a',
    'x'.repeat(400),
    '🐇',
    '\n',
    '. ',
    '。',
    '- ',
    '\n\n',
    '  ',
  );
  const text = fc.array(word, { minLength: 1, maxLength: 60 }).map((parts) => parts.join(' ').trim() || 'x');
  const anyBlock = fc.record({
    type: fc.constantFrom<Block['type']>('heading', 'paragraph', 'list', 'code', 'quote'),
    level: fc.integer({ min: 1, max: 6 }),
    text,
    page: fc.constant(null),
  });
  const settings = { ...DEFAULT_SETTINGS, ...small };
  fc.assert(
    fc.property(fc.array(anyBlock, { maxLength: 12 }), (blocks) => {
      const found = chunks(blocks, settings);
      const letters = (all: string) => all.replace(/\s/g, '');
      const said = letters(blocks.map((one) => one.text).join(''));
      const [exact] = [chunks(blocks, { ...settings, overlapSentences: 0 })];
      const held = letters(exact.map((chunk) => chunk.heading_path.join('') + chunk.text).join(''));
      for (const [index, chunk] of found.entries()) {
        expect(chunk.position).toBe(index);
        expect(chunk.text.trim()).not.toBe('');
        // Headings without text add at most half a chunk, the overlap a quarter.
        expect(countTokens(chunk.text)).toBeLessThanOrEqual(settings.maxTokens * 2);
        expect(said).toContain(letters(chunk.text));
      }
      for (const one of blocks.filter(({ type }) => type !== 'heading')) {
        for (const part of one.text.split(/\s+/).filter((each) => each.length < 10))
          expect(held).toContain(letters(part));
      }
    }),
    { seed: 7, numRuns: 200 },
  );
});

test('yields to the event loop while cutting a long document, and stops when aborted', async () => {
  const blocks = Array.from({ length: 3_000 }, (_, index) => paragraph(sentences(20), index));
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  const found = await chunkInTurns({ blocks });
  clearInterval(timer);
  expect(turns).toBeGreaterThan(2);
  expect(found).toEqual(chunks(blocks));
  const controller = new AbortController();
  const cutting = chunkInTurns({ blocks }, { signal: controller.signal });
  controller.abort(new Error('enough'));
  await expect(cutting).rejects.toThrow('enough');
});
