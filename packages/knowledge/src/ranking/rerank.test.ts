import { describe, expect, test } from 'vitest';
import { fusionWeight } from './fusion-weight.ts';
import { candidatesFor, rerank } from './rerank.ts';
import { hitOf } from './test-hits.ts';

describe('rerank', () => {
  const scattered = hitOf(
    'The bridge is red. The river was built up with mud. It opened a view. The year was a good one.',
    {
      id: 'scattered',
      score: 0.6,
    },
  );
  const whole = hitOf('Many came. The bridge over the river opened in the year 1884, and people danced.', {
    id: 'whole',
  });
  const other = hitOf('Cats sleep. They dream.', { id: 'other', score: 0.4 });

  test('prefers a passage with the question in one sentence', () => {
    const ranked = rerank('In which year was the bridge over the river opened?', [scattered, other, whole]);
    expect(ranked.map(({ id }) => id)).toEqual(['whole', 'scattered', 'other']);
    for (const { score } of ranked) {
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(1);
    }
  });

  test('keeps the order if words do not match, and only changes scores', () => {
    const ranked = rerank('xyzzy', [scattered, whole, other]);
    expect(ranked.map(({ score: _, ...rest }) => rest)).toEqual(
      [scattered, whole, other].map(({ score: _, ...rest }) => rest),
    );
    expect(rerank('', [whole])).toHaveLength(1);
    expect(rerank('any', [])).toEqual([]);
  });

  test('counts words in headings', () => {
    const under = hitOf('It weighs two tons.', { id: 'under', heading_path: ['Whales', 'The orca'] });
    const plain = hitOf('It weighs two tons.', { id: 'plain' });
    expect(rerank('What does the orca weigh?', [plain, under])[0]?.id).toBe('under');
  });

  test('supports languages without spaces', () => {
    const hits = [hitOf('天气很好。', { id: 'weather' }), hitOf('东京塔高三百三十三米。', { id: 'tower' })];
    expect(rerank('东京塔有多高', hits)[0]?.id).toBe('tower');
  });

  test('requests more candidates than needed, within limits', () => {
    expect([1, 8, 20, 50].map(candidatesFor)).toEqual([40, 40, 80, 100]);
  });
});

test.each([
  ['What is this?', 0.4],
  ['bridge over the Danube', 0.4],
  ['Los Angeles population', 0.4],
  ['这是什么', 0],
  ['Wer hat die Brücke gebaut und wann?', 0],
  ['Quand est-ce que le pont a été construit ?', 0],
  ['¿Quién construyó el puente?', 0],
])('%s: uses the measured weight of a model, and none for other languages', (question, weight) => {
  expect(fusionWeight('embedded/use-lite', question)).toBe(weight);
  expect(fusionWeight('openai/text-embedding-3-small', question)).toBe(0.5);
});
