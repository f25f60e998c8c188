import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { callFetch } from '../call-fetch.ts';
import { offersTools, shortUser, strictSchema } from '../call-settings.ts';
import type { ChatDialect } from '../chat-dialect.ts';
import { toEndpoint } from '../endpoint.ts';
import { openaiList } from '../model-list.ts';
import type { AdapterContext, Provider } from '../provider-port.ts';
import { chatBy, sdkProvider } from '../sdk-provider.ts';
import { chatCompletions } from '../wires/chat-completions.ts';

/** Accepts all settings, because servers differ. The package sends options it does not know as request fields. */
const DIALECT: ChatDialect = {
  namespace: 'compatible',
  reasoning: 'any',
  names: 'openaiCompatible',
  options: (settings) => ({
    user: shortUser(settings),
    parallel_tool_calls: offersTools(settings) ? settings.parallel_tool_calls : undefined,
    textVerbosity: settings.verbosity,
    logprobs: settings.logprobs,
    top_logprobs: settings.top_logprobs,
    logit_bias: settings.logit_bias,
    service_tier: settings.service_tier,
    strictJsonSchema: strictSchema(settings),
  }),
};

const WIRE = chatCompletions({ ...DIALECT, thinksInText: true });

/** Connects to any server that supports OpenAI's chat completions: Ollama, vLLM, llama.cpp, LM Studio, and others. */
export function createAdapter(context: AdapterContext): Provider {
  const { apiKey } = context.settings;
  const { baseUrl, headers, secrets } = toEndpoint(context.settings.baseUrl ?? '', apiKey);
  const provider = createOpenAICompatible({
    name: context.name,
    baseURL: baseUrl,
    ...(apiKey !== null && { apiKey }),
    headers,
    includeUsage: true,
    supportsStructuredOutputs: true,
    fetch: callFetch,
  });
  return sdkProvider(context, {
    secrets,
    list: {
      url: `${baseUrl}/models`,
      headers: apiKey === null ? headers : { ...headers, authorization: `Bearer ${apiKey}` },
      schema: openaiList,
    },
    initialModels: [],
    listReplaces: true,
    listReflectsStatus: true,
    chat: {
      dialect: DIALECT,
      prepare: chatBy(
        (id) => provider.chatModel(id),
        () => WIRE,
      ),
    },
    embedding: { model: (id) => provider.embeddingModel(id) },
  });
}
