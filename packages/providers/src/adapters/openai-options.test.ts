import type { ChatMessage, ChatSettings } from '@chorus/contract';
import { callTool, sampleOf, say } from '@chorus/testing';
import { expect, test } from 'vitest';
import { question as messages, only, parameters, tools } from '../test-answers.ts';
import { ask, calls, start } from '../test-providers.ts';

const args = JSON.stringify(sampleOf(parameters));

test('OpenAI’s reasoning comes back to it with its encrypted content', async () => {
  const { fake, providers } = await start();
  const model = 'openai/gpt-5-think-call-weather';
  const settings: ChatSettings = { tools, reasoning_effort: 'low' };
  const { parts } = await ask(providers, model, { messages, settings });
  const reasoning = only(parts, 'reasoning');
  expect(reasoning.map(({ text }) => text).join('')).toBe('Let me think about it.');
  const signature = reasoning.at(-1)?.signature ?? '';
  expect(JSON.parse(signature)).toMatchObject({ model, meta: { itemId: expect.stringMatching(/^rs_/) } });
  expect(calls(fake)[0]?.body).toMatchObject({
    store: false,
    reasoning: { effort: 'low', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
  });
  const { id, name } = only(parts, 'tool_call')[0]!;
  const assistant: ChatMessage = {
    role: 'assistant',
    content: null,
    reasoning_content: reasoning.map(({ text }) => text).join(''),
    reasoning_signature: signature,
    tool_calls: [{ id, type: 'function', function: { name, arguments: args } }],
  };
  const history: ChatMessage[] = [...messages, assistant, { role: 'tool', tool_call_id: id, content: 'sunny' }];
  const second = await ask(providers, model, { messages: history, settings });
  expect(second.error).toBeNull();
  expect(second.text).toBe('The result is sunny');
  expect((calls(fake)[1]!.body.input as unknown[])[1]).toMatchObject({
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: 'Let me think about it.' }],
    encrypted_content: expect.stringContaining('encrypted-whole'),
  });
});

test('a second attempt leaves out encrypted reasoning that OpenAI does not accept', async () => {
  const { fake, providers } = await start();
  const signature = JSON.stringify({
    model: 'openai/gpt-5-words-2',
    meta: { itemId: 'rs_1', reasoningEncryptedContent: 'of another account' },
  });
  const assistant: ChatMessage = { role: 'assistant', content: 'a', reasoning_signature: signature };
  const history: ChatMessage[] = [...messages, assistant, ...messages];
  const { text, error } = await ask(providers, 'openai/gpt-5-words-2', { messages: history });
  expect(error).toBeNull();
  expect(text).toBe('w1 w2');
  const [first, second] = calls(fake).map(({ body }) => (body.input as { type?: string }[]).map(({ type }) => type));
  expect(first).toContain('reasoning');
  expect(second).not.toContain('reasoning');
});

test('reasoning of a compatible server is shown, and sent back during a chain of calls', async () => {
  const { fake, providers } = await start();
  const { parts } = await ask(providers, 'compatible/think-call-weather', { messages, settings: { tools } });
  expect(
    only(parts, 'reasoning')
      .map(({ text }) => text)
      .join(''),
  ).toBe('Let me think about it.');
  const { id, name } = only(parts, 'tool_call')[0]!;
  const assistant: ChatMessage = {
    role: 'assistant',
    content: null,
    reasoning_content: 'Let me think about it.',
    tool_calls: [{ id, type: 'function', function: { name, arguments: args } }],
  };
  const history: ChatMessage[] = [...messages, assistant, { role: 'tool', tool_call_id: id, content: 'sunny' }];
  expect((await ask(providers, 'compatible/think-call-weather', { messages: history, settings: { tools } })).text).toBe(
    'The result is sunny',
  );
  expect((calls(fake)[1]!.body.messages as unknown[])[1]).toMatchObject({
    reasoning_content: 'Let me think about it.',
  });
});

test('extra options reach only their provider, and cannot be dangerous', async () => {
  const { fake, providers } = await start();
  const provider_options = { compatible: { top_k: 5, guided_json: {} }, openai: { prompt_cache_key: 'a' } };
  for (const provider of ['openai', 'compatible'])
    await ask(providers, `${provider}/words-1`, { settings: { provider_options } });
  const [openai, compatible] = calls(fake).map(({ body }) => body);
  expect(openai).toMatchObject({ prompt_cache_key: 'a', store: false });
  expect(openai).not.toHaveProperty('top_k');
  expect(compatible).toMatchObject({ top_k: 5, guided_json: {} });
  expect(compatible).not.toHaveProperty('prompt_cache_key');
});

test('passes on the user, the verbosity, and the tier', async () => {
  const { fake, providers } = await start();
  const settings: ChatSettings = { user: 'ada', verbosity: 'low', service_tier: 'priority' };
  await ask(providers, 'openai/gpt-5-words-1', { settings });
  await ask(providers, 'compatible/words-1', { settings: { ...settings, logit_bias: { 5: 1 } } });
  await ask(providers, 'openai/words-1', { settings: { logit_bias: { 5: 1 } } });
  const [responses, compatible, chat] = calls(fake).map(({ path, body }) => ({ path, ...body }));
  expect(responses).toMatchObject({ user: 'ada', text: { verbosity: 'low' }, service_tier: 'priority' });
  expect(compatible).toMatchObject({ ...settings, logit_bias: { 5: 1 } });
  expect(chat).toMatchObject({ path: '/v1/chat/completions', logit_bias: { 5: 1 } });
});

test.each(['openai/gpt-5-words-1', 'openai/words-1', 'compatible/words-1'])(
  'shortens the user for %s, who stays the same',
  async (model) => {
    const { fake, providers } = await start();
    for (const user of ['a'.repeat(64), 'a'.repeat(65), 'a'.repeat(65), 'b'.repeat(65)])
      expect((await ask(providers, model, { settings: { user } })).error).toBeNull();
    const [whole, long, again, other] = calls(fake).map(({ body }) => String(body.user));
    expect(whole).toBe('a'.repeat(64));
    expect(long).toMatch(/^[0-9a-f]{64}$/);
    expect([again === long, other === long]).toEqual([true, false]);
  },
);

test('sends audio with chat completions, and PDFs', async () => {
  const { fake, providers } = await start();
  const input_audio = { data: 'AAAA', format: 'wav' as const };
  const file = { file_data: 'JVBERi0=', filename: 'a.pdf' };
  const content: ChatMessage['content'] = [
    { type: 'input_audio', input_audio },
    { type: 'file', file },
  ];
  for (const provider of ['openai', 'compatible'])
    await ask(providers, `${provider}/words-1`, { messages: [{ role: 'user', content: content as never }] });
  for (const { path, body } of calls(fake)) {
    expect(path).toBe('/v1/chat/completions');
    expect(body.messages).toMatchObject([
      {
        content: [
          { type: 'input_audio', input_audio },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
        ],
      },
    ]);
  }
});

test('retries without summaries if the key has no access to them', async () => {
  const { fake, providers } = await start({
    script: ({ body }) =>
      (body.reasoning as { summary?: string } | undefined)?.summary === undefined
        ? undefined
        : {
            kind: 'fail',
            status: 400,
            error: {
              message: 'Your organization must be verified to generate reasoning summaries.',
              type: 'invalid_request_error',
              code: 'unsupported_value',
              param: 'reasoning.summary',
            },
          },
  });
  expect((await ask(providers, 'openai/gpt-5-words-2', { settings: { reasoning_effort: 'high' } })).text).toBe('w1 w2');
  await ask(providers, 'openai/gpt-5-words-2');
  const summaries = calls(fake).map(({ body }) => (body.reasoning as { summary?: string } | undefined)?.summary);
  expect(summaries).toEqual(['auto', undefined, undefined]);
});

test('reports text, refusals and calls that arrive in one chunk in their order', async () => {
  const pieces = [...say('as follows'), ...callTool('weather', { city: 'Oslo' }, 0)];
  const { providers } = await start({ script: () => ({ pieces }) });
  const { parts } = await ask(providers, 'compatible/any', { settings: { tools } });
  // The text comes in one part or two, depending on how it arrives.
  const types = parts.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1]);
  expect(types.slice(0, 2)).toEqual(['text', 'tool_call']);
});

test('passes sampling settings to models that do not reason', async () => {
  const { fake, providers } = await start();
  const settings: ChatSettings = { temperature: 0.2, reasoning_effort: 'none' };
  expect((await ask(providers, 'openai/gpt-5.1-words-1', { settings })).error).toBeNull();
  expect(calls(fake)[0]?.body).toMatchObject({ temperature: 0.2, reasoning: { effort: 'none' } });
  const { error } = await ask(providers, 'openai/gpt-5.1-words-1', { settings: { temperature: 0.2 } });
  expect(error).toMatchObject({ code: 'invalid_request', message: expect.stringMatching(/^`temperature`/) });
  // The default value requests nothing.
  expect((await ask(providers, 'openai/gpt-5-words-1', { settings: { temperature: 1 } })).error).toBeNull();
});
