import type { Capability, Pool, WorkerHealth } from '@chorus/contract';
import { expect, test } from 'vitest';
import { chooseModel, firstModel } from './choose-model.ts';

function worker(pool: Pool, models: Record<string, Capability[]>, over: Partial<WorkerHealth> = {}) {
  return {
    pool,
    models: Object.entries(models).map(([id, capabilities]) => ({
      id,
      object: 'model' as const,
      created: 0,
      owned_by: id.split('/', 1)[0] as string,
      capabilities,
      context_window: null,
    })),
    providers: [],
    default_model: null,
    ...over,
  };
}

const media = worker(
  'media',
  {
    'openai/gpt-image-1': ['image'],
    'openai/gpt-5': ['chat'],
    'fal/fal-ai/flux/dev': ['image'],
    'embedded/canvas': ['image'],
    'embedded/canvas-video': ['video'],
  },
  { providers: [{ name: 'openai', status: 'ok', any_model: true }] },
);
const text = worker('text', { 'embedded/assistant': ['chat'] }, { default_model: 'embedded/assistant' });
const image = { pool: 'media', capability: 'image', configured: null } as const;

test('without a name: uses the configured model, else the first capable one', () => {
  expect(chooseModel([text, media], image)).toBe('openai/gpt-image-1');
  expect(chooseModel([text, media], { ...image, configured: 'embedded/canvas' })).toBe('embedded/canvas');
  expect(chooseModel([media, text], { pool: 'text', capability: 'chat', configured: null })).toBe('embedded/assistant');
  expect(firstModel([text, media], { pool: 'media', capability: 'video' })).toBe('embedded/canvas-video');
  expect(firstModel([text, media], { pool: 'vision', capability: 'vision' })).toBeNull();
});

test('asks to try again, without a name, until the first provider has listed its models', () => {
  const asking = worker('text', { 'embedded/assistant': ['chat'] });
  const chat = { pool: 'text', capability: 'chat', configured: null } as const;
  expect(() => chooseModel([asking], chat)).toThrow(expect.objectContaining({ code: 'overloaded', retryAfterS: 2 }));
  expect(chooseModel([asking], { ...chat, asked: 'embedded/assistant' })).toBe('embedded/assistant');
  expect(() => chooseModel([worker('text', {})], chat)).toThrow(expect.objectContaining({ code: 'model_not_found' }));
});

test('accepts unlisted names for a provider with more models, but not for one that lists them all', () => {
  expect(chooseModel([media], { ...image, asked: 'fal/fal-ai/recraft/v3' })).toBe('fal/fal-ai/recraft/v3');
  for (const asked of ['embedded/other', 'google/imagen-4', 'openai/gpt-5', 'openai/', 'embedded/canvas-video']) {
    expect(() => chooseModel([media], { ...image, asked }), asked).toThrow(/^Unknown model/);
  }
});

test('finds a name without provider if exactly one capable model has it', () => {
  expect(chooseModel([media, media], { ...image, asked: 'gpt-image-1' })).toBe('openai/gpt-image-1');
  expect(chooseModel([media], { ...image, asked: 'fal-ai/flux/dev' })).toBe('fal/fal-ai/flux/dev');
  expect(() => chooseModel([media], { ...image, asked: 'gpt-5' })).toThrow(/^Unknown model/);
  const two = worker('media', { 'one/same': ['image'], 'two/same': ['image'] });
  expect(() => chooseModel([two], { ...image, asked: 'same' })).toThrow(
    'Several providers have the model "same": one/same, two/same.',
  );
});

test('a refusal names the available models and the field', () => {
  const asked = { ...image, asked: 'unknown/x', path: 'body.items.3.body.model' };
  expect(() => chooseModel([media], asked)).toThrow(
    expect.objectContaining({
      code: 'model_not_found',
      details: [
        {
          path: 'body.items.3.body.model',
          message: expect.stringContaining('openai/gpt-image-1, fal/fal-ai/flux/dev'),
        },
      ],
    }),
  );
});

test('throws overloaded, not unknown, while no worker of the pool is known', () => {
  expect(() => chooseModel([text], { ...image, asked: 'embedded/canvas' })).toThrow(
    expect.objectContaining({ code: 'overloaded', retryAfterS: 2 }),
  );
});
