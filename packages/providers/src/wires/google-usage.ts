import { type LanguageModelV4Usage, TypeValidationError } from '@ai-sdk/provider';
import { z } from 'zod';

const count = z.number().nullish();
// Zero is left out, as everywhere in Google's JSON.
const details = z
  .array(z.looseObject({ modality: z.string().default('MODALITY_UNSPECIFIED'), tokenCount: z.number().default(0) }))
  .nullish();
const usage = z
  .looseObject({
    promptTokenCount: count,
    candidatesTokenCount: count,
    toolUsePromptTokenCount: count,
    cachedContentTokenCount: count,
    thoughtsTokenCount: count,
    promptTokensDetails: details,
    candidatesTokensDetails: details,
  })
  .nullish();
export type GoogleUsage = NonNullable<z.infer<typeof usage>>;

/** @throws {TypeValidationError} if it is malformed */
export function checkUsage(given: unknown): GoogleUsage | null {
  const { data, error } = usage.safeParse(given);
  if (error !== undefined) throw new TypeValidationError({ value: given, cause: error });
  return data ?? null;
}

/** Adds the usage of an answer to that of the ones before it. */
export function sumUsage(before: GoogleUsage | null, last: GoogleUsage | null): GoogleUsage | null {
  if (before === null || last === null) return last ?? before;
  const sum: GoogleUsage = { ...before, ...last };
  for (const name of COUNTS) if (before[name] != null) sum[name] = before[name] + (last[name] ?? 0);
  for (const name of DETAILS) sum[name] = joined(before[name], last[name]);
  return sum;
}

const COUNTS = [
  'promptTokenCount',
  'candidatesTokenCount',
  'toolUsePromptTokenCount',
  'cachedContentTokenCount',
  'thoughtsTokenCount',
] as const;
const DETAILS = ['promptTokensDetails', 'candidatesTokensDetails'] as const;

function joined(before: z.infer<typeof details>, last: z.infer<typeof details>): z.infer<typeof details> {
  const counts = new Map<string, number>();
  for (const { modality, tokenCount } of [...(before ?? []), ...(last ?? [])])
    counts.set(modality, (counts.get(modality) ?? 0) + tokenCount);
  return counts.size === 0 ? undefined : [...counts].map(([modality, tokenCount]) => ({ modality, tokenCount }));
}

export function usageTokens(given: GoogleUsage | null): LanguageModelV4Usage {
  if (given === null)
    return {
      inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: undefined, text: undefined, reasoning: undefined },
    };
  const input = (given.promptTokenCount ?? 0) + (given.toolUsePromptTokenCount ?? 0);
  const cached = given.cachedContentTokenCount ?? 0;
  const output = given.candidatesTokenCount ?? 0;
  const reasoning = given.thoughtsTokenCount ?? 0;
  return {
    inputTokens: { total: input, noCache: input - cached, cacheRead: cached, cacheWrite: undefined },
    outputTokens: { total: output + reasoning, text: output, reasoning },
    raw: given as LanguageModelV4Usage['raw'],
  };
}
