import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { callFetch } from '../call-fetch.ts';
import { toEndpoint } from '../endpoint.ts';
import { openaiList } from '../model-list.ts';
import type { AdapterContext, Provider } from '../provider-port.ts';
import { chatBy, sdkProvider } from '../sdk-provider.ts';

/** Connects to any server with OpenAI's chat completions: Ollama, vLLM, llama.cpp, LM Studio and others. */
export function createAdapter(context: AdapterContext): Provider {
  const { apiKey } = context.settings;
  const { baseUrl, headers, secrets } = toEndpoint(context.settings.baseUrl ?? '', apiKey);
  const provider = createOpenAICompatible({
    name: context.name,
    baseURL: baseUrl,
    ...(apiKey !== null && { apiKey }),
    headers,
    includeUsage: true,
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
    chat: chatBy((id) => provider.chatModel(id)),
    embedding: { model: (id) => provider.embeddingModel(id) },
  });
}
