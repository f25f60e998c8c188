import { afterAll, expect, test } from 'vitest';
import { createProviders } from '../providers.ts';
import { log, settingsOf } from '../test-providers.ts';

const { signal } = new AbortController();
const providers = createProviders(settingsOf({}), { log });
afterAll(() => providers.close());

const embed = (texts: string[]) =>
  providers.embedTexts({ model: 'embedded/use-lite', texts, purpose: 'document' }, { signal, executionId: 'job_test' });
const likeness = (a: Float32Array | undefined, b: Float32Array | undefined) =>
  a!.reduce((sum, value, place) => sum + value * b![place]!, 0);

test('embeds similar texts closer together, in the order of the texts', async () => {
  const texts = ['How old are you?', 'The bridge was built in 1884 by an engineer.', 'What is your age?'];
  const { vectors, dimensions, usage } = await embed(texts);
  expect(dimensions).toBe(512);
  expect(likeness(vectors[0], vectors[0])).toBeCloseTo(1, 5);
  expect(likeness(vectors[0], vectors[2])).toBeGreaterThan(likeness(vectors[0], vectors[1]) + 0.4);
  expect(usage.input_tokens).toBeGreaterThan(15);
  expect(usage.cost_usd).toBeNull();
});

test('embeds long texts completely, and any other text', async () => {
  const long = 'The harbour was quiet and the boats lay still. '.repeat(20);
  const odd = ['', '\u0000'.repeat(300), '中文'.repeat(100), '\ud800', ' '.repeat(10_000), '😀'];
  const { vectors } = await embed([long, `${long}Volcanoes erupt with lava and ash.`, ...odd]);
  expect(likeness(vectors[0], vectors[1])).toBeLessThan(0.995);
  expect(vectors).toHaveLength(8);
  for (const vector of vectors) expect(likeness(vector, vector)).toBeCloseTo(1, 4);
});

test('embeds a text the same in every batch', async () => {
  const text = 'A text among others.';
  const alone = await embed([text]);
  const many = await embed([...Array.from({ length: 9 }, (_, index) => `Text ${index} `.repeat(index + 1)), text]);
  expect(likeness(alone.vectors[0], many.vectors[9])).toBeCloseTo(1, 4);
});

test('has one model', async () => {
  const call = { model: 'embedded/assistant', texts: ['a'], purpose: 'query' as const };
  await expect(providers.embedTexts(call, { signal, executionId: 'job_test' })).rejects.toMatchObject({
    code: 'model_not_found',
  });
});
