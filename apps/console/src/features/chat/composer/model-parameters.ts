import type { BodyOf, Model } from '@chorus/client';

type Turn = BodyOf<'POST /chat/completions'>;

/** Parameters of the model that a user can set for a conversation. Absent: the model's default. */
export interface ModelParameters {
  temperature?: number;
  reasoning_effort?: NonNullable<Turn['reasoning_effort']>;
  max_tokens?: number;
}

export type ByConversation = Record<string, ModelParameters>;

/** Parameters of older conversations are dropped. */
const MAX_CONVERSATIONS = 200;

/** Sets the parameters of a conversation; none removes them. */
export function withParameters(known: ByConversation, id: string, parameters: ModelParameters): ByConversation {
  const others = Object.entries(known).filter(([other]) => other !== id);
  const isSet = Object.keys(parameters).length > 0;
  return Object.fromEntries([...others, ...(isSet ? [[id, parameters] as const] : [])].slice(-MAX_CONVERSATIONS));
}

export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;

type Accepts = Pick<Model, 'unsupported_settings' | 'ignored_settings'>;

export interface Offered {
  temperature: boolean;
  efforts: readonly (typeof EFFORTS)[number][];
  max_tokens: boolean;
}

/** Returns the parameters that at least one of the models accepts. */
export function offeredParameters(models: readonly Accepts[]): Offered {
  const accepts = (name: string, value?: string) =>
    models.length === 0 ||
    models.some(({ unsupported_settings = [], ignored_settings = [] }) =>
      [...unsupported_settings, ...ignored_settings].every(
        (refused) => refused !== name && (value === undefined || refused !== `${name}.${value}`),
      ),
    );
  return {
    temperature: accepts('temperature') && accepts('temperature', 'while_reasoning'),
    efforts: EFFORTS.filter((effort) => accepts('reasoning_effort', effort)),
    max_tokens: accepts('max_tokens'),
  };
}

/** Leaves out parameters that the model would refuse, such as after a change of the model. */
export function acceptedParameters(parameters: ModelParameters, { temperature, efforts, max_tokens }: Offered) {
  const { reasoning_effort: effort } = parameters;
  return {
    ...(temperature && parameters.temperature !== undefined && { temperature: parameters.temperature }),
    ...(effort !== undefined && efforts.includes(effort) && { reasoning_effort: effort }),
    ...(max_tokens && parameters.max_tokens !== undefined && { max_tokens: parameters.max_tokens }),
  };
}
