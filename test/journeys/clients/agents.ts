import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents';
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';

export function agentsJourneys(getEndpoint: () => Endpoint): void {
  beforeAll(() => setTracingDisabled(true));

  const weather = tool({
    name: 'get_weather',
    description: 'The current weather of a city.',
    parameters: z.object({ city: z.string() }),
    execute: async ({ city }) => `${city}: sunny, 21 °C`,
  });

  it.each([true, false])('runs an agent with a tool (Responses API: %s)', async (useResponses) => {
    const { baseURL, apiKey } = getEndpoint();
    const runner = new Runner({ modelProvider: new OpenAIProvider({ baseURL, apiKey, useResponses }) });
    const agent = new Agent({
      name: 'Weather',
      instructions: 'Answer in one sentence.',
      model: 'compatible/call-weather',
      tools: [weather],
    });
    const waited = await runner.run(agent, 'How is the weather in Paris?');
    expect(waited.finalOutput).toContain('sunny, 21 °C');
    const streamed = await runner.run(agent, 'How is the weather in Paris?', { stream: true });
    let text = '';
    for await (const chunk of streamed.toTextStream()) text += chunk;
    await streamed.completed;
    expect(text).toContain('sunny, 21 °C');
  });
}
