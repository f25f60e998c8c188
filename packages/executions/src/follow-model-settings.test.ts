import type { StoredModelSettings } from '@chorus/contract';
import { expect, test } from 'vitest';
import { type ModelConfig, withModels } from './follow-model-settings.ts';

test('fills in settings that the environment leaves out, and follows changes', () => {
  const environment: ModelConfig & { port: number } = {
    port: 1,
    chat: { defaultModel: null, fallbacks: [] },
    iris: { imageModel: 'openai/of-environment', videoModel: null },
    voice: { speechModel: null, transcriptionModel: null },
  };
  let stored: StoredModelSettings = { defaults: {}, fallbacks: [] };
  const config = withModels(environment, () => stored);
  expect([config.port, config.chat.defaultModel, config.chat.fallbacks]).toEqual([1, null, []]);
  const chain = ['openai/a', 'groq/b'];
  stored = { defaults: { chat: 'openai/a', image: 'fal/b', speech: 'deepgram/c' }, fallbacks: [chain] };
  expect([config.chat.defaultModel, config.iris.imageModel, config.voice.speechModel]).toEqual([
    'openai/a',
    'openai/of-environment',
    'deepgram/c',
  ]);
  expect(config.chat.fallbacks).toEqual([chain]);
  const given = withModels(
    { ...environment, chat: { defaultModel: 'x/y', fallbacks: [['x/y', 'z/w']] } },
    () => stored,
  );
  expect([given.chat.defaultModel, given.chat.fallbacks]).toEqual(['x/y', [['x/y', 'z/w']]]);
});
