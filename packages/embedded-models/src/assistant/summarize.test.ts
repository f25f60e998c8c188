import { expect, test } from 'vitest';
import { sentencesOf, summarize } from './summarize.ts';

const ARTICLE = `The harbour of Lindau was rebuilt after the storm of 1856. Workers came from three countries. It rained for weeks.
The new harbour had a lighthouse and a stone lion. Someone had brought a dog.

Trade through the harbour doubled within ten years. The lighthouse of the harbour guided ships from Austria and Switzerland.
Lunch was simple. In 1890 the harbour was the busiest on the lake. Today the harbour serves visitors, and the lighthouse is open in summer.`;

test('finds sentences across line breaks and paragraphs', () => {
  expect(sentencesOf('One is here.\nTwo is\nthere! Three\n\nFour? 5.')).toEqual([
    'One is here.',
    'Two is there!',
    'Three',
    'Four?',
    '5.',
  ]);
  expect(sentencesOf(' \n\n — … ')).toEqual([]);
});

test('picks sentences about the subject, word for word and in order', () => {
  const { sentences, of, whole } = summarize(ARTICLE);
  expect(of).toBe(10);
  expect(whole).toBe(true);
  expect(sentences).toHaveLength(2);
  const flat = ARTICLE.replace(/\s+/g, ' ');
  const places = sentences.map((sentence) => flat.indexOf(sentence));
  expect(places.every((place) => place >= 0)).toBe(true);
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(sentences.every((sentence) => sentence.includes('harbour'))).toBe(true);
  expect(summarize(ARTICLE)).toEqual({ sentences, of, whole });
});

test('reads a limited part of an endless text', () => {
  const { sentences, whole } = summarize('The lake is deep and the lake is cold. '.repeat(20_000));
  expect(whole).toBe(false);
  expect(sentences).toHaveLength(5);
});
