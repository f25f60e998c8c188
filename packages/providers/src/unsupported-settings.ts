import { type ChatFeature, type ChatSettings, ChorusError, WHILE_REASONING } from '@chorus/contract';
import { dryRunSignal } from './call-fetch.ts';
import { droppedSettings } from './call-settings.ts';
import type { ChatStart } from './model-stream.ts';
import type { ChatCall } from './provider-port.ts';

/**
 * Values that every provider accepts. `top_p` is separate, because some models refuse it with a
 * temperature.
 */
const TRIALS: ChatSettings[] = [
  { temperature: 0.5, seed: 1, stop: ['.'], presence_penalty: 0.5, frequency_penalty: 0.5 },
  { top_p: 0.5 },
  { reasoning_effort: 'medium' },
  { logprobs: true, top_logprobs: 2 },
  { logit_bias: { 1: 1 } },
];

const tools = [{ type: 'function' as const, function: { name: 'trial' } }];
const schema = {
  type: 'object',
  properties: { a: { type: 'string' } },
  required: ['a'],
  additionalProperties: false,
};

/** Settings for which models may refuse some values. */
const VALUES: [ChatFeature, ChatSettings][] = [
  ['tool_choice.required', { tools, tool_choice: 'required' }],
  ['tool_choice.function', { tools, tool_choice: { type: 'function', function: { name: 'trial' } } }],
  ['response_format.json_object', { response_format: { type: 'json_object' } }],
  ['response_format.json_schema', { response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } }],
  ['service_tier.flex', { service_tier: 'flex' }],
  ['service_tier.scale', { service_tier: 'scale' }],
  ['service_tier.priority', { service_tier: 'priority' }],
];

const MAX_KEPT = 2_000;
const kept = new Map<string, Promise<ChatFeature[]>>();

/**
 * Finds the settings that a model never accepts. This takes a dozen dry runs, so results are kept for the lifetime of
 * the process, even when providers are recreated because their keys changed.
 * @param models Identifies the provider's models, which do not depend on the key.
 */
export function unsupportedSettings(
  models: string,
  model: string,
  plan: (call: ChatCall) => ChatStart,
): Promise<ChatFeature[]> {
  const name = `${models}/${model}`;
  const found = kept.get(name) ?? findUnsupported(model, plan).catch(() => []);
  kept.set(name, found);
  if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value as string);
  return found;
}

/** Builds requests as a call would, but sends none. */
async function findUnsupported(model: string, plan: (call: ChatCall) => ChatStart): Promise<ChatFeature[]> {
  const names = new Set<ChatFeature>();
  for (const settings of TRIALS) {
    const refused = await dropped(model, settings, plan);
    if (refused.length === 0) continue;
    const always = new Set(await dropped(model, { reasoning_effort: 'none', ...settings }, plan));
    for (const name of refused) names.add(always.has(name) ? name : `${name}.${WHILE_REASONING}`);
  }
  for (const [feature, settings] of VALUES) if ((await dropped(model, settings, plan)).length > 0) names.add(feature);
  return [...names];
}

async function dropped(model: string, settings: ChatSettings, plan: (call: ChatCall) => ChatStart) {
  try {
    const { start } = plan({ model, messages: [{ role: 'user', content: 'a' }], settings });
    const reader = (await start(dryRunSignal())).stream.getReader();
    const { value } = await reader.read();
    await reader.cancel();
    if (value?.type !== 'stream-start') return [];
    return droppedSettings(value.warnings, settings).map(({ name }) => name);
  } catch (error) {
    if (error instanceof ChorusError) return Object.keys(settings) as (keyof ChatSettings)[];
    throw error;
  }
}
