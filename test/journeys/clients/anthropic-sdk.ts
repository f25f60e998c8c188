import Anthropic from '@anthropic-ai/sdk';
import { expectedText } from '@chorus/testing';
import { beforeAll, expect, it } from 'vitest';
import type { Endpoint } from './endpoint.ts';

export function anthropicJourneys(getEndpoint: () => Endpoint): void {
  let client: Anthropic;
  const clientFor = (apiKey: string) =>
    new Anthropic({ baseURL: getEndpoint().baseURL.replace('/openai/v1', '/anthropic'), apiKey, maxRetries: 0 });

  beforeAll(() => {
    client = clientFor(getEndpoint().apiKey);
  });

  const messages = [{ role: 'user' as const, content: 'How is the weather in Paris?' }];
  const tools: Anthropic.Tool[] = [
    {
      name: 'weather',
      description: 'The current weather of a city.',
      input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  ];

  it('creates a message, and streams one', async () => {
    const asked = { model: 'compatible/words-30-delay-5', max_tokens: 100, messages };
    const text = expectedText('words-30');
    expect((await client.messages.create(asked)).content).toEqual([{ type: 'text', text }]);
    const pieces: string[] = [];
    const stream = client.messages.stream(asked).on('text', (piece) => pieces.push(piece));
    const { content, stop_reason, usage } = await stream.finalMessage();
    expect([pieces.join(''), content, stop_reason]).toEqual([text, [{ type: 'text', text }], 'end_turn']);
    expect(usage.output_tokens).toBe(30);
  });

  it('continues with the result of a tool', async () => {
    const asked = { model: 'compatible/call-weather', max_tokens: 100, messages, tools };
    const { content, stop_reason } = await client.messages.stream(asked).finalMessage();
    expect(stop_reason).toBe('tool_use');
    const call = content.find((block) => block.type === 'tool_use');
    expect(call?.input).toEqual({ city: expect.any(String) });
    const result = { type: 'tool_result' as const, tool_use_id: call?.id ?? '', content: 'sunny, 21 °C' };
    const turns = [...messages, { role: 'assistant' as const, content }, { role: 'user' as const, content: [result] }];
    const answer = await client.messages.create({ ...asked, messages: turns });
    expect(answer.content).toEqual([{ type: 'text', text: expect.stringContaining('sunny, 21 °C') }]);
  });

  it('counts tokens, and finds the model in the list', async () => {
    const model = 'embedded/assistant';
    expect((await client.messages.countTokens({ model, messages, tools })).input_tokens).toBeGreaterThan(20);
    const listed = await Array.fromAsync(client.models.list({ limit: 2 }));
    expect(listed).toContainEqual(await client.models.retrieve(model));
  });

  it('throws its classes of errors', async () => {
    const stranger = clientFor('chk_wrong');
    await expect(stranger.models.list()).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
    const unknown = client.messages.create({ model: 'unknown/model', max_tokens: 1, messages });
    await expect(unknown).rejects.toBeInstanceOf(Anthropic.NotFoundError);
    const blind = client.messages.create({ model: 'embedded/assistant', max_tokens: 1, messages, tools });
    await expect(blind).rejects.toMatchObject({ status: 400, message: expect.stringContaining('embedded/assistant') });
  });
}
