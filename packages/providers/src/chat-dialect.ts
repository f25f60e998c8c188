import type { JSONValue } from '@ai-sdk/provider';
import { type ChatFeature, type ChatSettings, ChorusError, type SettingName } from '@chorus/contract';

/** How to convert conversations and settings for one provider, beyond the work of its package. */
export interface ChatDialect {
  /** The key of its options in its package. */
  namespace: string;
  /** Converts settings to its options. @param model without the provider */
  options(settings: ChatSettings, model: string): Record<string, JSONValue | undefined>;
  /** Returns the features that a model refuses, judging by its name. */
  unsupported?(model: string): readonly ChatFeature[];
  ignored?: readonly SettingName[];
  /**
   * The reasoning that it accepts back: `signed` by it; its `own`, from the same model, during a chain of tool calls;
   * or `any` during such a chain.
   */
  reasoning: 'signed' | 'own' | 'any';
  /** Ids of tool calls that it accepts. Others, from another provider, are replaced. */
  callIds?: { pattern: RegExp; prefix: string; length: number };
  /** Whether system messages may only come first. */
  systemFirst?: boolean;
  /** Where the participant's name of a message goes. */
  names?: 'openai' | 'openaiCompatible';
}

/**
 * Translates the service tier. Null in the table: the provider's default, which needs no option.
 *
 * @throws ChorusError `invalid_request` for a tier that is not in the table
 */
export function tierOf(
  { service_tier: tier }: ChatSettings,
  provider: string,
  table: Record<string, string | null>,
): string | undefined {
  if (tier === undefined) return undefined;
  const translated = table[tier];
  if (translated === undefined)
    throw new ChorusError('invalid_request', `\`service_tier\` ${tier} is not supported by ${provider}`);
  return translated ?? undefined;
}

/** Drops options without a value. */
export function definedOnly(options: Record<string, JSONValue | undefined>): Record<string, JSONValue> {
  return Object.fromEntries(
    Object.entries(options).filter((entry): entry is [string, JSONValue] => entry[1] !== undefined),
  );
}
