import type { OcrItem } from '@chorus/contract';
import { expect, test } from 'vitest';
import { createHandlers, type Handler, modelsOf } from './handler.ts';

const ending = {
  usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: null },
  model: null,
  provider: null,
  finish_reason: null,
};

test('a handler that returns items of another kind does not compile', () => {
  const reading = { type: 'ocr' } as OcrItem;
  const reader: Handler<'iris.ocr'> = { run: async () => ({ output: [reading], ...ending }) };
  // @ts-expect-error: a verification has no such item
  const verifier: Handler<'iris.verify'> = { run: async () => ({ output: [reading], ...ending }) };
  // @ts-expect-error: a kind of the pool is missing
  const handlers = createHandlers('vision', { 'iris.ocr': () => reader }, {});
  expect(Object.keys(handlers)).toEqual(['iris.ocr']);
  expect(verifier).toBeDefined();
});

test('models that a handler runs itself are listed with the capability of its kind', () => {
  const run = () => Promise.reject(new Error('not called'));
  expect(modelsOf({ 'iris.image': { models: ['embedded/brush'] }, 'iris.video': { run } as Handler<never> })).toEqual([
    {
      id: 'embedded/brush',
      object: 'model',
      created: 0,
      owned_by: 'embedded',
      capabilities: ['image'],
      context_window: null,
    },
  ]);
});
