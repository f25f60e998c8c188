import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { callFetch } from '../call-fetch.ts';
import { CallStatus } from '../call-status.ts';
import { toPrompt } from '../chat-prompt.ts';
import { toEndpoint } from '../endpoint.ts';
import { ModelList } from '../model-list.ts';
import { streamModel, toCallSettings } from '../model-stream.ts';
import { capabilitiesOf, isChatModel } from '../model-traits.ts';
import type { AdapterContext, ChatProvider } from '../provider-port.ts';
import { recent } from '../recent.ts';

/** Any server with OpenAI's chat completions: Ollama, vLLM, llama.cpp, LM Studio and many hosted ones. */
export function createAdapter({ name, settings, log, idleTimeoutMs }: AdapterContext): ChatProvider {
  const { baseUrl, headers, secrets } = toEndpoint(settings.baseUrl ?? '', settings.apiKey);
  const provider = createOpenAICompatible({
    name,
    baseURL: baseUrl,
    ...(settings.apiKey !== null && { apiKey: settings.apiKey }),
    headers,
    includeUsage: true,
    fetch: callFetch,
  });
  const modelOf = recent((id) => provider.chatModel(id));
  const status = new CallStatus();
  const list = new ModelList({
    url: `${baseUrl}/models`,
    headers: settings.apiKey === null ? headers : { ...headers, authorization: `Bearer ${settings.apiKey}` },
    log,
    status,
  });
  const models = () =>
    (list.models ?? [])
      .filter(({ id }) => isChatModel(id))
      .map(({ id, created }) => ({ id, created, capabilities: capabilitiesOf(id) }));
  return {
    models,
    defaultModel: () => models()[0]?.id ?? null,
    settled: () => list.tried,
    status: () => status.current(),
    streamChat(call, { signal, executionId }) {
      const options = { ...toCallSettings(call.settings), prompt: toPrompt(call.messages) };
      const model = modelOf(call.model);
      return streamModel({
        provider: name,
        secrets,
        status,
        log,
        executionId,
        signal,
        idleTimeoutMs,
        start: (abortSignal) => model.doStream({ ...options, abortSignal }),
      });
    },
    close: () => list.close(),
  };
}
