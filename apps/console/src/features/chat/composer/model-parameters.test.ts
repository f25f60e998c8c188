import { expect, test } from 'vitest';
import { acceptedParameters, offeredParameters, withParameters } from './model-parameters.ts';

test('offers what a model accepts, and sends nothing else', () => {
  const plain = { unsupported_settings: ['reasoning_effort'], ignored_settings: ['temperature'] };
  const thinker = { unsupported_settings: ['temperature.while_reasoning', 'reasoning_effort.none', 'verbosity'] };
  expect(offeredParameters([plain])).toEqual({ temperature: false, efforts: [], max_tokens: true });
  const offered = offeredParameters([thinker]);
  expect(offered).toMatchObject({ temperature: false, efforts: expect.not.arrayContaining(['none']) });
  const asked = { temperature: 0.2, reasoning_effort: 'high', max_tokens: 100 } as const;
  expect(acceptedParameters(asked, offered)).toEqual({ reasoning_effort: 'high', max_tokens: 100 });
  // Either could be the default.
  expect(offeredParameters([plain, {}])).toMatchObject({ temperature: true, max_tokens: true });
});

test('forgets the parameters of the oldest conversations', () => {
  let known = {};
  for (let number = 0; number < 300; number += 1) known = withParameters(known, `ses_${number}`, { temperature: 1 });
  expect(Object.keys(known)).toHaveLength(200);
  expect(known).toHaveProperty('ses_299');
  expect(withParameters(known, 'ses_299', {})).not.toHaveProperty('ses_299');
});
