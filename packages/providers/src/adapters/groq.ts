import { createGroq } from '@ai-sdk/groq';
import { PROVIDER_URLS } from '@chorus/contract';
import type { BatchingProvider } from '../batches/batch-port.ts';
import { openaiBatches } from '../batches/openai-batches.ts';
import { callFetch } from '../call-fetch.ts';
import { offersTools, shortUser, strictSchema } from '../call-settings.ts';
import { type ChatDialect, tierOf } from '../chat-dialect.ts';
import { toEndpoint } from '../endpoint.ts';
import { openaiList } from '../model-list.ts';
import type { AdapterContext } from '../provider-port.ts';
import { chatBy, modelsByCapability, sdkProvider, type WireChoice } from '../sdk-provider.ts';
import { chatCompletions } from '../wires/chat-completions.ts';
import { groqTranscription, toTranslations } from './openai-audio.ts';

const OWN_BASE_URL = PROVIDER_URLS.groq;

const TIERS = { auto: 'auto', default: 'on_demand', flex: 'flex', priority: 'performance' };
/** Models that write their reasoning into the answer by default. */
const THINKS_ALOUD = /qwen-?3|qwq|deepseek-r1/;
const PLAIN = /llama-?3|llama3|gemma|mixtral|allam|guard|compound/;

const DIALECT: ChatDialect = {
  namespace: 'groq',
  reasoning: 'own',
  options: (settings, model) => ({
    user: shortUser(settings),
    parallelToolCalls: offersTools(settings) ? settings.parallel_tool_calls : undefined,
    reasoningFormat: THINKS_ALOUD.test(model) ? 'parsed' : undefined,
    serviceTier: tierOf(settings, 'groq', TIERS),
    strictJsonSchema: strictSchema(settings),
  }),
  unsupported: (model) => [
    'logprobs',
    'top_logprobs',
    'logit_bias',
    'verbosity',
    'input_audio',
    'file',
    ...(PLAIN.test(model) ? (['reasoning_effort', 'response_format.json_schema'] as const) : []),
    ...(/guard|compound/.test(model) ? (['tools', 'tool_choice'] as const) : []),
  ],
};

const WIRE = chatCompletions({ ...DIALECT, errorsHaveStatus: true });

/** For JSON in a request with tools, the package makes the model call another tool, and shows its input as text. */
const wireFor: WireChoice = ({ tools, responseFormat }) =>
  tools !== undefined && responseFormat?.type === 'json' ? null : WIRE;

export function createAdapter(context: AdapterContext): BatchingProvider {
  const { baseUrl, headers, secrets } = toEndpoint(context.settings.baseUrl ?? OWN_BASE_URL, context.settings.apiKey);
  const apiKey = context.settings.apiKey ?? '';
  const own = { baseURL: baseUrl, apiKey, headers };
  const provider = createGroq({ ...own, fetch: callFetch });
  const translator = createGroq({ ...own, fetch: toTranslations });
  return sdkProvider(context, {
    secrets,
    list: { url: `${baseUrl}/models`, headers: { authorization: `Bearer ${apiKey}`, ...headers }, schema: openaiList },
    initialModels: modelsByCapability(
      [['chat'], 'llama-3.3-70b-versatile', 'llama-3.1-8b-instant'],
      [['transcription'], 'whisper-large-v3-turbo', 'whisper-large-v3'],
    ),
    listReplaces: true,
    settingsOf: context.name,
    chat: { dialect: DIALECT, prepare: chatBy((id) => provider.languageModel(id), wireFor) },
    transcription: {
      model: (id) => provider.transcription(id),
      translator: (id) => translator.transcription(id),
      ...groqTranscription,
    },
    batches: {
      baseUrl,
      headers: { authorization: `Bearer ${apiKey}`, ...headers },
      wire: (http) => openaiBatches(http, ['chat/completions']),
    },
  });
}
