import { HumanMessage, type ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';

export function langChainJourneys(getEndpoint: () => Endpoint): void {
  const chat = (model: string, useResponsesApi: boolean) => {
    const { baseURL, apiKey } = getEndpoint();
    return new ChatOpenAI({ model, apiKey, configuration: { baseURL }, useResponsesApi });
  };

  const weather = tool(async ({ city }: { city: string }) => `${city}: sunny, 21 °C`, {
    name: 'get_weather',
    description: 'The current weather of a city.',
    schema: z.object({ city: z.string() }),
  });

  it.each([false, true])('binds tools (Responses API: %s)', async (useResponsesApi) => {
    const model = chat('compatible/call-weather', useResponsesApi).bindTools([weather]);
    const question = new HumanMessage('How is the weather in Paris?');
    const asked = await model.invoke([question]);
    expect(asked.tool_calls).toMatchObject([{ name: 'get_weather', args: { city: expect.any(String) } }]);
    const results = await Promise.all((asked.tool_calls ?? []).map((call) => weather.invoke(call)));
    const answered = await model.invoke([question, asked, ...(results as ToolMessage[])]);
    expect(answered.text).toContain('sunny, 21 °C');
  });

  it.each([false, true])('gets structured output (Responses API: %s)', async (useResponsesApi) => {
    const model = chat('compatible/json', useResponsesApi).withStructuredOutput(
      z.object({ name: z.string(), age: z.number() }),
      { method: 'jsonSchema' },
    );
    expect(await model.invoke('Who is it?')).toEqual({ name: expect.any(String), age: expect.any(Number) });
  });

  it('embeds documents', async () => {
    const { baseURL, apiKey } = getEndpoint();
    const embeddings = new OpenAIEmbeddings({ model: 'embedded/use-lite', apiKey, configuration: { baseURL } });
    const vectors = await embeddings.embedDocuments(['a cat', 'a kitten']);
    expect(vectors.map(({ length }) => length)).toEqual([512, 512]);
  });
}
