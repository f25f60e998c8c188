import type { ModelRecord } from '@chorus/contract';
import { expect, test } from 'vitest';
import { checkHeardLanguage } from './heard-language.ts';

const model = (id: string, languages: string[] | null): ModelRecord => ({
  id,
  object: 'model',
  created: 0,
  owned_by: id.split('/')[0]!,
  capabilities: ['transcription'],
  context_window: null,
  transcription_options: { languages, prompt: false, temperature: false, timestamps: [], translates: false },
});
const own = [model('embedded/moonshine', ['en']), model('embedded/moonshine-tiny', ['en'])];
const asked = { model: 'embedded/moonshine', field: 'transcription_model' };
const check = (models: ModelRecord[], doubt?: 'foreign' | 'unclear', text = 'Words.') =>
  checkHeardLanguage({ models: () => models }, { text, ...(doubt && { doubt }) }, asked);

test('lists models that know other languages', () => {
  expect(check(own)).toEqual([]);
  expect(check([...own, model('openai/whisper-1', null)], 'unclear')).toEqual([
    expect.stringMatching(/not in English.*Set `transcription_model` to .*openai\/whisper-1\.$/),
  ]);
  expect(check(own, 'unclear')).toEqual([expect.stringContaining('Configure a provider')]);
  expect(check(own, undefined, 'Ich habe gestern einen Brief und es ist gut.')).toHaveLength(1);
  expect(() => check(own, 'foreign')).toThrow(expect.objectContaining({ code: 'invalid_request' }));
});
