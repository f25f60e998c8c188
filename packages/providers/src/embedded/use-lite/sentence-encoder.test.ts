import { createLogger } from '@chorus/log';
import { afterAll, describe, expect, test } from 'vitest';
import { createProviders } from '../../providers.ts';
import { settingsOf } from '../../test-providers.ts';
import { SentenceEncoder } from './sentence-encoder.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const { signal } = new AbortController();
const encoder = new SentenceEncoder(log);
const providers = createProviders(settingsOf({}), { log });
afterAll(() => {
  encoder.close();
  providers.close();
});

const embed = (texts: string[]) =>
  providers.embedTexts({ model: 'embedded/use-lite', texts, purpose: 'document' }, { signal, executionId: 'job_test' });
const likeness = (a: Float32Array | undefined, b: Float32Array | undefined) =>
  a!.reduce((sum, value, place) => sum + value * b![place]!, 0);

describe('embedded/use-lite', () => {
  test('what means the same is more alike than what does not, in the order of the texts', async () => {
    const texts = ['How old are you?', 'The bridge was built in 1884 by an engineer.', 'What is your age?'];
    const { vectors, dimensions, usage } = await embed(texts);
    expect(dimensions).toBe(512);
    expect(likeness(vectors[0], vectors[0])).toBeCloseTo(1, 5);
    expect(likeness(vectors[0], vectors[2])).toBeGreaterThan(likeness(vectors[0], vectors[1]) + 0.4);
    expect(usage.input_tokens).toBeGreaterThan(15);
    expect(usage.cost_usd).toBeNull();
  });

  test('reads a long text to its end, and takes any text', async () => {
    const long = 'The harbour was quiet and the boats lay still. '.repeat(20);
    const odd = ['', '\u0000'.repeat(300), '中文'.repeat(100), '\ud800', ' '.repeat(10_000), '😀'];
    const { vectors } = await embed([long, `${long}Volcanoes erupt with lava and ash.`, ...odd]);
    expect(likeness(vectors[0], vectors[1])).toBeLessThan(0.995);
    expect(vectors).toHaveLength(8);
    for (const vector of vectors) expect(likeness(vector, vector)).toBeCloseTo(1, 4);
  });

  test('gives a text the same vector whatever is asked beside it', async () => {
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
});

describe('the process', () => {
  const document = Array.from({ length: 24 }, (_, index) => `Passage ${index} of a document.`);

  test('is started when it is first asked; a question does not wait for a whole document', async () => {
    expect(encoder.pid).toBeNull();
    let documentEnded = false;
    const whole = encoder.encode(document, 'document', { signal }).then((encoded) => {
      documentEnded = true;
      return encoded;
    });
    await encoder.encode(['How old are you?'], 'query', { signal });
    expect(documentEnded).toBe(false);
    expect((await whole).vectors).toHaveLength(24);
  });

  test('killed, it is started anew and its work done again', async () => {
    await encoder.encode(['a'], 'query', { signal });
    const asked = encoder.encode(document.slice(0, 8), 'document', { signal });
    const { pid } = encoder;
    process.kill(pid!, 'SIGKILL');
    expect((await asked).vectors).toHaveLength(8);
    expect(encoder.pid).not.toBe(pid);
  });

  test('killed twice over the same, it fails; the next gets an answer', async () => {
    const asked = encoder.encode(document.slice(0, 8), 'document', { signal });
    asked.catch(() => {});
    const first = encoder.pid!;
    process.kill(first, 'SIGKILL');
    await expect.poll(() => encoder.pid, { interval: 1 }).not.toBe(first);
    process.kill(encoder.pid!, 'SIGKILL');
    await expect(asked).rejects.toMatchObject({ code: 'provider_error' });
    expect((await encoder.encode(['a'], 'query', { signal })).vectors).toHaveLength(1);
  });

  test('an abort is heard at once, and what waited is never begun', async () => {
    const controller = new AbortController();
    const reason = new Error('cancelled');
    const asked = encoder.encode(document, 'document', { signal: controller.signal });
    controller.abort(reason);
    await expect(asked).rejects.toBe(reason);
    expect((await encoder.encode(['a'], 'document', { signal })).vectors).toHaveLength(1);
  });

  test('closed, it is gone, and whoever waits is told', async () => {
    const own = new SentenceEncoder(log);
    const asked = own.encode(document, 'document', { signal });
    own.close();
    await expect(asked).rejects.toMatchObject({ code: 'provider_error' });
    await expect(own.encode(['a'], 'query', { signal })).rejects.toMatchObject({ code: 'provider_error' });
  });
});
