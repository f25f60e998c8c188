import { createAnthropic } from '@ai-sdk/anthropic';
import { z } from 'zod';
import { callFetch } from '../call-fetch.ts';
import { toEndpoint } from '../endpoint.ts';
import { modelId } from '../model-list.ts';
import type { AdapterContext, Provider } from '../provider-port.ts';
import { chatBy, modelsByCapability, sdkProvider } from '../sdk-provider.ts';

const OWN_BASE_URL = 'https://api.anthropic.com/v1';
const API_VERSION = '2023-06-01';

const modelsAnswer = z
  .object({
    data: z.array(z.object({ id: modelId, created_at: z.string().optional(), max_input_tokens: z.number().nullish() })),
  })
  .transform(({ data }) =>
    data.map(({ id, created_at, max_input_tokens }) => ({
      id,
      created: Math.floor((Date.parse(created_at ?? '') || 0) / 1000),
      capabilities: ['chat' as const, 'vision' as const],
      contextWindow: max_input_tokens ?? null,
    })),
  );

export function createAdapter(context: AdapterContext): Provider {
  const { baseUrl, headers, secrets } = toEndpoint(context.settings.baseUrl ?? OWN_BASE_URL, context.settings.apiKey);
  const apiKey = context.settings.apiKey ?? '';
  const provider = createAnthropic({ baseURL: baseUrl, apiKey, headers, fetch: callFetch });
  return sdkProvider(context, {
    secrets,
    list: {
      url: `${baseUrl}/models?limit=1000`,
      headers: { ...headers, 'x-api-key': apiKey, 'anthropic-version': API_VERSION },
      schema: modelsAnswer,
    },
    initialModels: modelsByCapability([['chat', 'vision'], 'claude-sonnet-4-5', 'claude-opus-4-1', 'claude-haiku-4-5']),
    listReplaces: true,
    settingsDiffer: true,
    chat: chatBy((id) => provider.messages(id)),
  });
}
