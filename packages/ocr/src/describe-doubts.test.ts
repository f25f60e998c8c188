import { expect, test } from 'vitest';
import { describeDoubts } from './describe-doubts.ts';

const engine = { name: 'tesseract.js', version: '7', languages: ['eng', 'rus'] } as const;

test('lists pages with low confidence', () => {
  const pages = [
    { number: 1, confidence: 0.9 },
    { number: 2, confidence: 0.41 },
    { number: 3, confidence: null },
    { number: 5, confidence: 0.5 },
  ];
  expect(describeDoubts(pages, ['eng'], { ...engine, languages: ['eng'] })).toEqual([
    'Read with low confidence, so the text may be wrong: page 2 (0.41), 5 (0.50).',
  ]);
});

test('names a script that the languages do not cover, and how to read it', () => {
  const pages = [
    { number: 1, confidence: 0.3, script: 'Han' },
    { number: 2, confidence: 0.2, script: 'Cyrillic' },
    { number: 3, confidence: 0.2, script: 'Han' },
  ];
  const [han, cyrillic] = describeDoubts(pages, ['eng'], { ...engine, languages: [...engine.languages] });
  expect(han).toContain(
    'Pages 1,3: the text seems to be in Han script, which eng cannot read. Send `languages: ["chi_sim"]`',
  );
  expect(han).toContain('tesseract-ocr-chi-sim');
  expect(cyrillic).toContain('Send `languages: ["rus"]`');
  expect(cyrillic).not.toContain('apt-get');
  const vertical = [{ number: 4, confidence: 0.7, script: 'vertical Japanese' }];
  const [japanese] = describeDoubts(vertical, ['jpn'], { ...engine, languages: ['jpn'] });
  expect(japanese).toContain('Page 4: the text seems to be in vertical Japanese script');
  expect(japanese).toContain('`apt-get install tesseract-ocr tesseract-ocr-jpn-vert`');
});
