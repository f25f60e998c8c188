import type { ChatMessage } from '@chorus/contract';
import { describe, expect, test } from 'vitest';
import { tools } from '../test-answers.ts';
import { ask, callsTo, start, startFake } from '../test-providers.ts';

const call = { id: 'toolu_01', type: 'function' as const, function: { name: 'weather', arguments: '{"city":"Bern"}' } };
const messages: ChatMessage[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Weather?' },
  { role: 'assistant', content: null, tool_calls: [call] },
  { role: 'tool', tool_call_id: 'toolu_01', content: 'Sunny' },
];
const settings = { tools };
const mark = { type: 'ephemeral' };

describe('Anthropic', () => {
  test('caches the tools, the instructions, and a repeated prompt', async () => {
    const { fake, providers } = await startFake('anthropic');
    const { error } = await ask(providers, 'anthropic/words-3', {
      ...{ messages, settings, cache: { key: 'ses_1', repeats: true } },
    });
    expect(error).toBeNull();
    const [request] = callsTo(fake);
    expect(request?.body).toMatchObject({
      system: [{ text: 'Be brief.', cache_control: mark }],
      messages: [{}, {}, { content: [{ type: 'tool_result', cache_control: mark }] }],
    });
    expect(JSON.stringify(request?.body).match(/cache_control/g)).toHaveLength(2);
  });

  test('caches nothing without repetition', async () => {
    const { fake, providers } = await startFake('anthropic');
    await ask(providers, 'anthropic/words-3', { messages, settings, cache: { key: 'ses_1' } });
    expect(JSON.stringify(callsTo(fake)[0]?.body)).not.toContain('cache_control');
  });
});

test.each([{}, { seed: 1 }])('OpenAI gets the key, with %j', async (more) => {
  const { fake, providers } = await start();
  const cache = { key: 'ses_1', repeats: true };
  await ask(providers, 'openai/words-3', { settings: more, cache });
  await ask(providers, 'openai/words-3', { settings: more });
  await ask(providers, 'compatible/words-3', { settings: more, cache });
  const keys = fake.requests.filter(({ body }) => body.model === 'words-3').map(({ body }) => body.prompt_cache_key);
  expect(keys).toEqual(['ses_1', undefined, undefined]);
});
