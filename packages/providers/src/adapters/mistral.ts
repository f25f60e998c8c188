import { createMistral } from '@ai-sdk/mistral';
import type { Capability } from '@chorus/contract';
import { z } from 'zod';
import { callFetch } from '../call-fetch.ts';
import { toEndpoint } from '../endpoint.ts';
import { modelId } from '../model-list.ts';
import { capabilitiesOf } from '../model-traits.ts';
import type { AdapterContext, Provider } from '../provider-port.ts';
import { chatBy, modelsByCapability, sdkProvider } from '../sdk-provider.ts';

const OWN_BASE_URL = 'https://api.mistral.ai/v1';

const modelsAnswer = z
  .object({
    data: z.array(
      z.object({
        id: modelId,
        created: z.number().optional(),
        max_context_length: z.number().nullish(),
        capabilities: z.object({ completion_chat: z.boolean().default(false), vision: z.boolean().default(false) }),
      }),
    ),
  })
  .transform(({ data }) =>
    data.map(({ id, created, max_context_length, capabilities: { completion_chat, vision } }) => {
      const chat: Capability[] = vision ? ['chat', 'vision'] : ['chat'];
      return {
        id,
        created: created ?? 0,
        capabilities: completion_chat ? chat : capabilitiesOf(id).filter((one) => one !== 'chat' && one !== 'vision'),
        contextWindow: max_context_length ?? null,
      };
    }),
  );

export function createAdapter(context: AdapterContext): Provider {
  const { baseUrl, headers, secrets } = toEndpoint(context.settings.baseUrl ?? OWN_BASE_URL, context.settings.apiKey);
  const apiKey = context.settings.apiKey ?? '';
  const provider = createMistral({ baseURL: baseUrl, apiKey, headers, fetch: callFetch });
  return sdkProvider(context, {
    secrets,
    list: {
      url: `${baseUrl}/models`,
      headers: { authorization: `Bearer ${apiKey}`, ...headers },
      schema: modelsAnswer,
    },
    initialModels: modelsByCapability(
      [['chat', 'vision'], 'mistral-medium-latest', 'mistral-small-latest'],
      [['chat'], 'codestral-latest'],
      [['embedding'], 'mistral-embed'],
    ),
    listReplaces: true,
    chat: chatBy((id) => provider.chat(id)),
    embedding: { model: (id) => provider.embedding(id) },
  });
}
