import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenResponses } from '@ai-sdk/open-responses';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { embedMany, generateObject, generateText, type LanguageModel, stepCountIs, streamText, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';

export function aiSdkJourneys(getEndpoint: () => Endpoint): void {
  const models: Record<string, (id: string) => LanguageModel> = {
    '@ai-sdk/openai, responses': (id) => createOpenAI(getEndpoint()).responses(id),
    '@ai-sdk/openai, chat': (id) => createOpenAI(getEndpoint()).chat(id),
    '@ai-sdk/openai-compatible': (id) =>
      createOpenAICompatible({ name: 'chorus', ...getEndpoint(), supportsStructuredOutputs: true }).chatModel(id),
    '@ai-sdk/anthropic': (id) => {
      const { baseURL, apiKey } = getEndpoint();
      return createAnthropic({ baseURL: baseURL.replace('/openai/', '/anthropic/'), apiKey })(id);
    },
    '@ai-sdk/open-responses': (id) => {
      const { baseURL, apiKey } = getEndpoint();
      return createOpenResponses({ name: 'chorus', url: `${baseURL}/responses`, apiKey })(id);
    },
  };

  const weather = tool({
    description: 'The current weather of a city.',
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => `${city}: sunny, 21 °C`,
  });

  describe.each(Object.keys(models))('%s', (name) => {
    const model = (id: string) => models[name]?.(id) as LanguageModel;

    it('streams text with tools', async () => {
      const result = streamText({
        model: model('compatible/call-weather'),
        prompt: 'How is the weather in Paris?',
        tools: { weather },
        stopWhen: stepCountIs(3),
        onError: ({ error }) => {
          throw error;
        },
      });
      let text = '';
      for await (const piece of result.textStream) text += piece;
      expect(text).toContain('sunny, 21 °C');
      const steps = await result.steps;
      expect(steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop']);
      expect(steps[0]?.toolCalls).toMatchObject([{ toolName: 'weather', input: { city: expect.any(String) } }]);
    });

    it('generates an object by a schema', async () => {
      const { object } = await generateObject({
        model: model('compatible/json'),
        schema: z.object({ name: z.string(), age: z.number() }),
        prompt: 'Who is it?',
      });
      expect(object).toEqual({ name: expect.any(String), age: expect.any(Number) });
    });

    it('shows reasoning', async () => {
      const { reasoningText, text } = await generateText({ model: model('compatible/think'), prompt: 'Think.' });
      if (name !== '@ai-sdk/openai, chat') expect(reasoningText).toMatch(/\w/);
      expect(text).toMatch(/\w/);
    });
  });

  it('embeds many texts', async () => {
    const { embeddings } = await embedMany({
      model: createOpenAI(getEndpoint()).embedding('embedded/use-lite'),
      values: ['a cat', 'a kitten'],
    });
    expect(embeddings).toHaveLength(2);
    expect(embeddings[0]?.length).toBe(512);
  });
}
