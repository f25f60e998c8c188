import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { Usage } from '@chorus/contract';
import { z } from 'zod';
import { costOf } from './usage/prices.ts';

type Finish = Extract<LanguageModelV4StreamPart, { type: 'finish' }>;

const openaiDetails = z.object({ audio_tokens: z.number().int().nonnegative().nullish() }).nullish();
const googleDetails = z.array(z.object({ modality: z.string(), tokenCount: z.number().int().nonnegative() })).nullish();
const rawUsage = z.object({
  prompt_tokens_details: openaiDetails,
  completion_tokens_details: openaiDetails,
  promptTokensDetails: googleDetails,
  candidatesTokensDetails: googleDetails,
});

/** Totals include cached, reasoning, and audio tokens. The cost distinguishes them. */
export function toUsage(model: string, { inputTokens, outputTokens, raw }: Finish['usage'], inBatch = false): Usage {
  const input = tokens(inputTokens.total);
  const output = tokens(outputTokens.total);
  const cached = tokens(inputTokens.cacheRead);
  const reasoning = tokens(outputTokens.reasoning);
  const audio = audioOf(raw);
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    cost_usd: costOf(model, {
      input,
      cached,
      written: tokens(inputTokens.cacheWrite),
      output,
      ofAudio: audio.input,
      speaks: audio.output > 0,
      inBatch,
    }),
    ...(cached > 0 && { cached_input_tokens: cached }),
    ...(reasoning > 0 && { reasoning_tokens: reasoning }),
    ...(audio.input > 0 && { audio_input_tokens: audio.input }),
    ...(audio.output > 0 && { audio_output_tokens: audio.output }),
  };
}

/** More tokens than any model reads or writes. */
const MAX_TOKENS = 1e9;

/** Converts a number from a server to a count: some send fractions, or -1 for an unknown number. */
export const tokens = (given: unknown): number =>
  typeof given === 'number' && given > 0 ? Math.round(Math.min(given, MAX_TOKENS)) : 0;

/** Finds audio tokens in the formats of OpenAI and Google. */
function audioOf(raw: unknown): { input: number; output: number } {
  const { data } = rawUsage.safeParse(raw);
  const ofGoogle = (details: z.infer<typeof googleDetails>) =>
    details?.find(({ modality }) => modality === 'AUDIO')?.tokenCount;
  return {
    input: data?.prompt_tokens_details?.audio_tokens ?? ofGoogle(data?.promptTokensDetails) ?? 0,
    output: data?.completion_tokens_details?.audio_tokens ?? ofGoogle(data?.candidatesTokensDetails) ?? 0,
  };
}
