import type { ChatMessage, ChatSettings, SettingName } from './chat.ts';

/** Marks a setting that a model accepts only with `reasoning_effort: none`. */
export const WHILE_REASONING = 'while_reasoning';

/**
 * A setting, one value of a setting such as `response_format.json_object`, a setting `.while_reasoning`, or a part of
 * a message.
 */
export type ChatFeature = SettingName | `${SettingName}.${string}` | 'input_audio' | 'file';

/** Values that change nothing, since they are every model's default. */
const NO_EFFECT: { [Name in SettingName]?: (value: NonNullable<ChatSettings[Name]>) => boolean } = {
  temperature: (value) => value === 1,
  top_p: (value) => value === 1,
  presence_penalty: (value) => value === 0,
  frequency_penalty: (value) => value === 0,
  stop: isEmpty,
  tools: isEmpty,
  tool_choice: (value) => value === 'none' || value === 'auto',
  parallel_tool_calls: (value) => value,
  response_format: ({ type }) => type === 'text',
  reasoning_effort: (value) => value === 'none',
  verbosity: (value) => value === 'medium',
  logprobs: (value) => !value,
  top_logprobs: (value) => value === 0,
  logit_bias: isEmpty,
  service_tier: (value) => value === 'auto' || value === 'default',
  user: () => true,
  provider_options: () => true,
};

/** Returns whether a setting requests something that some models do not support. */
export function hasEffect(settings: ChatSettings, name: SettingName): boolean {
  const value = settings[name];
  if (value === undefined || NO_EFFECT[name]?.(value as never)) return false;
  return name !== 'parallel_tool_calls' || hasEffect(settings, 'tools');
}

/** A requested feature that a model refuses, and its place in the request. */
export interface UnsupportedUse {
  feature: ChatFeature;
  path: string;
}

/** Returns the features in a request that the model does not support. */
export function unsupportedUse(
  settings: ChatSettings,
  messages: readonly Pick<ChatMessage, 'content'>[],
  unsupported: ReadonlySet<string>,
): UnsupportedUse[] {
  if (unsupported.size === 0) return [];
  const names = Object.keys(settings) as SettingName[];
  const used = names.flatMap((name): UnsupportedUse[] => {
    if (!hasEffect(settings, name)) return [];
    const value = settings[name] as unknown;
    const type = (value as { type?: unknown }).type ?? value;
    const reasons = settings.reasoning_effort !== 'none';
    const features = [name, `${name}.${type}`, ...(reasons ? [`${name}.${WHILE_REASONING}`] : [])] as ChatFeature[];
    const feature = features.find((one) => unsupported.has(one));
    return feature === undefined ? [] : [{ feature, path: name }];
  });
  return [...used, ...unsupportedParts(messages, unsupported)];
}

function unsupportedParts(
  messages: readonly Pick<ChatMessage, 'content'>[],
  unsupported: ReadonlySet<string>,
): UnsupportedUse[] {
  if (!unsupported.has('input_audio') && !unsupported.has('file')) return [];
  return messages.flatMap(({ content }, index) =>
    typeof content === 'string' || content == null
      ? []
      : content.flatMap(({ type }, at): UnsupportedUse[] =>
          (type === 'input_audio' || type === 'file') && unsupported.has(type)
            ? [{ feature: type, path: `messages.${index}.content.${at}` }]
            : [],
        ),
  );
}

const PHRASES: Record<string, string | undefined> = {
  tools: 'cannot call tools',
  input_audio: 'does not accept audio',
  file: 'does not accept files',
};

/** Describes that a model refuses a field of the request. */
export function refusalOf(model: string, { feature }: UnsupportedUse): string {
  const [name = '', value] = feature.split('.');
  const phrase = PHRASES[name];
  if (phrase !== undefined) return `cannot be used: ${model} ${phrase}`;
  if (value === WHILE_REASONING) return `is not supported by ${model} unless \`reasoning_effort\` is none`;
  return `${value === undefined ? '' : `${value} `}is not supported by ${model}`;
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}
