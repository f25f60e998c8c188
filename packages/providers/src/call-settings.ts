import { createHash } from 'node:crypto';
import type { JSONSchema7, JSONValue, LanguageModelV4CallOptions, SharedV4Warning } from '@ai-sdk/provider';
import { type ChatSettings, ChorusError, hasEffect, type SettingName } from '@chorus/contract';
import { type ChatDialect, definedOnly } from './chat-dialect.ts';

type Settings = Omit<LanguageModelV4CallOptions, 'prompt'>;

/** Our names for settings of the provider packages. */
const NAMES: Record<string, SettingName | SettingName[]> = {
  temperature: 'temperature',
  topP: 'top_p',
  seed: 'seed',
  stopSequences: 'stop',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  // Some models produce JSON through a required tool call.
  toolChoice: ['tool_choice', 'response_format'],
  responseFormat: 'response_format',
  'providerOptions.anthropic.structuredOutputMode': 'response_format',
  reasoning: 'reasoning_effort',
  reasoningEffort: 'reasoning_effort',
  logprobs: 'logprobs',
  topLogprobs: 'top_logprobs',
  logitBias: 'logit_bias',
  serviceTier: 'service_tier',
};

/**
 * Converts settings for a provider package.
 *
 * @param provider The provider whose `provider_options` apply.
 * @param model Without the provider.
 * @throws ChorusError `invalid_request` for contradictory settings
 */
export function toCallSettings(
  settings: ChatSettings,
  dialect: ChatDialect,
  provider: string,
  model: string,
): Settings {
  if (settings.top_logprobs !== undefined && settings.top_logprobs > 0 && !settings.logprobs)
    throw new ChorusError('invalid_request', '`top_logprobs` needs `logprobs: true`');
  const given = settings.provider_options?.[provider] ?? {};
  const { topK, ...own } =
    dialect.namespace === provider && provider !== 'compatible' ? camelCased(given) : { ...given };
  const options = merged(definedOnly(dialect.options(settings, model)), own as Record<string, JSONValue>);
  return {
    ...(settings.temperature !== undefined && { temperature: settings.temperature }),
    ...(settings.top_p !== undefined && { topP: settings.top_p }),
    ...(typeof topK === 'number' && { topK }),
    ...(settings.max_tokens !== undefined && { maxOutputTokens: settings.max_tokens }),
    ...(settings.stop !== undefined && settings.stop.length > 0 && { stopSequences: settings.stop }),
    ...(settings.seed !== undefined && { seed: settings.seed }),
    ...(settings.presence_penalty !== undefined && { presencePenalty: settings.presence_penalty }),
    ...(settings.frequency_penalty !== undefined && { frequencyPenalty: settings.frequency_penalty }),
    ...(settings.reasoning_effort !== undefined && { reasoning: settings.reasoning_effort }),
    ...toolSettings(settings),
    ...formatOf(settings),
    // The packages report log probabilities too late, at the end.
    ...(settings.logprobs && { includeRawChunks: true }),
    ...(Object.keys(options).length > 0 && { providerOptions: { [dialect.namespace]: options } }),
  };
}

/** Maximum length of an identifier of an end user at OpenAI. */
const MAX_USER = 64;

/** Returns the end user for providers with OpenAI's limit. A longer identifier becomes its hash, as long as that. */
export function shortUser({ user }: ChatSettings): string | undefined {
  return user === undefined || user.length <= MAX_USER ? user : createHash('sha256').update(user).digest('hex');
}

/** Whether a request offers tools, so that settings about tools apply. */
export function offersTools({ tools }: ChatSettings): boolean {
  return tools !== undefined && tools.length > 0;
}

function toolSettings(settings: ChatSettings): Pick<Settings, 'tools' | 'toolChoice'> {
  const { tools = [], tool_choice: choice } = settings;
  if (tools.length === 0) {
    if (!hasEffect(settings, 'tool_choice')) return {};
    throw new ChorusError('invalid_request', '`tool_choice` needs `tools`');
  }
  const offered = tools.map(({ function: { name, description, parameters, strict } }) => ({
    type: 'function' as const,
    name,
    inputSchema: (parameters ?? { type: 'object', properties: {} }) as JSONSchema7,
    ...(description != null && { description }),
    ...(strict != null && { strict }),
  }));
  if (choice === undefined) return { tools: offered };
  if (typeof choice === 'string') return { tools: offered, toolChoice: { type: choice } };
  if (choice.type === 'function') {
    named(choice.function.name, 'tool_choice.function.name');
    return { tools: offered, toolChoice: { type: 'tool', toolName: choice.function.name } };
  }
  const { mode, tools: allowed } = choice.allowed_tools;
  const names = new Set(
    allowed.map(({ function: { name } }, index) => named(name, `tool_choice.allowed_tools.tools[${index}]`)),
  );
  return { tools: offered.filter(({ name }) => names.has(name)), toolChoice: { type: mode } };

  function named(name: string, path: string): string {
    if (offered.some((tool) => tool.name === name)) return name;
    throw new ChorusError('invalid_request', `\`${path}\`: ${name} is not one of the \`tools\``);
  }
}

function formatOf({ response_format: format }: ChatSettings): Pick<Settings, 'responseFormat'> {
  if (format === undefined || format.type === 'text') return {};
  if (format.type === 'json_object') return { responseFormat: { type: 'json' } };
  const { name, description, schema } = format.json_schema;
  return {
    responseFormat: {
      type: 'json',
      name,
      ...(schema != null && { schema: schema as JSONSchema7 }),
      ...(description != null && { description }),
    },
  };
}

/** Returns whether the schema of the answer must be kept exactly. Undefined: no schema. */
export function strictSchema({ response_format: format }: ChatSettings): boolean | undefined {
  return format?.type === 'json_schema' ? (format.json_schema.strict ?? false) : undefined;
}

/** Adds options to others, merging nested objects. */
function merged(options: Record<string, JSONValue>, more: Record<string, JSONValue>): Record<string, JSONValue> {
  const isObject = (value: JSONValue | undefined) =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const entries = Object.entries(more).map(([name, value]) => {
    const base = options[name];
    return [name, isObject(base) && isObject(value) ? { ...(base as object), ...(value as object) } : value];
  });
  return { ...options, ...Object.fromEntries(entries) };
}

/** Converts the keys of options, at any depth, to the packages' camelCase. */
function camelCased<T>(value: T): T {
  if (Array.isArray(value)) return value.map(camelCased) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      camelCased(inner),
    ]),
  ) as T;
}

export interface DroppedSetting {
  name: SettingName;
  details: string;
}

/** Returns the settings that the provider package reports to have dropped or changed. */
export function droppedSettings(warnings: readonly SharedV4Warning[], settings: ChatSettings): DroppedSetting[] {
  return warnings.flatMap((warning): DroppedSetting[] => {
    // Some warnings only name the setting in a sentence.
    const [feature, details = ''] =
      warning.type === 'unsupported'
        ? [warning.feature, warning.details]
        : warning.type === 'other'
          ? [/^(\w+) is not supported/.exec(warning.message)?.[1] ?? '', warning.message]
          : [''];
    const name = [NAMES[feature] ?? []].flat().find((one) => hasEffect(settings, one));
    return name === undefined ? [] : [{ name, details }];
  });
}
