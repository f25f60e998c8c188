import { createMistral } from '@ai-sdk/mistral';
import { type Capability, PROVIDER_URLS } from '@chorus/contract';
import { z } from 'zod';
import type { BatchingProvider } from '../batches/batch-port.ts';
import { mistralBatches } from '../batches/mistral-batches.ts';
import { callFetch } from '../call-fetch.ts';
import { offersTools, strictSchema } from '../call-settings.ts';
import { type ChatDialect, tierOf } from '../chat-dialect.ts';
import { toEndpoint } from '../endpoint.ts';
import { listedCount, modelId, modelsOf } from '../model-list.ts';
import { capabilitiesOf } from '../model-traits.ts';
import type { AdapterContext } from '../provider-port.ts';
import { chatBy, modelsByCapability, sdkProvider } from '../sdk-provider.ts';
import { chatCompletions } from '../wires/chat-completions.ts';

const OWN_BASE_URL = PROVIDER_URLS.mistral;

const modelsAnswer = z
  .object({
    data: modelsOf(
      z.object({
        id: modelId,
        created: listedCount,
        max_context_length: listedCount,
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
        contextWindow: max_context_length,
      };
    }),
  );

const DIALECT: ChatDialect = {
  namespace: 'mistral',
  reasoning: 'own',
  callIds: { pattern: /^[a-zA-Z0-9]{9}$/, prefix: '', length: 9 },
  options: (settings) => ({
    parallelToolCalls: offersTools(settings) ? settings.parallel_tool_calls : undefined,
    serviceTier: tierOf(settings, 'mistral', { auto: null, default: null }),
    strictJsonSchema: strictSchema(settings),
  }),
  unsupported: () => ['logprobs', 'top_logprobs', 'logit_bias', 'verbosity', 'input_audio'],
  ignored: ['user'],
};

const WIRE = chatCompletions({ ...DIALECT, reasons: { model_length: 'length', error: 'error' } });

export function createAdapter(context: AdapterContext): BatchingProvider {
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
    settingsOf: context.name,
    chat: {
      dialect: DIALECT,
      prepare: chatBy(
        (id) => provider.chat(id),
        () => WIRE,
      ),
    },
    embedding: { model: (id) => provider.embedding(id) },
    batches: { baseUrl, headers: { authorization: `Bearer ${apiKey}`, ...headers }, wire: mistralBatches },
  });
}
