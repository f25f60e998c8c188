import { z } from 'zod';

/** How the end of a turn is found, in the words of OpenAI's Realtime API. */
export const turnDetection = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('server_vad'),
    threshold: z.number().min(0).max(1).default(0.5).describe('How sure one must be that somebody speaks'),
    prefix_padding_ms: z.int().min(0).max(5_000).default(300).describe('Sound before the speech that belongs to it'),
    silence_duration_ms: z.int().min(50).max(10_000).default(500).describe('Silence that ends a turn'),
    idle_timeout_ms: z.int().min(1_000).max(600_000).nullish(),
    create_response: z.boolean().default(true).describe('Whether the end of a turn is answered'),
    interrupt_response: z.boolean().default(true).describe('Whether speech interrupts the answer'),
  }),
  z.object({
    type: z.literal('semantic_vad'),
    eagerness: z
      .enum(['low', 'medium', 'high', 'auto'])
      .default('auto')
      .describe('How soon a turn is taken to be over'),
    create_response: z.boolean().default(true),
    interrupt_response: z.boolean().default(true),
  }),
]);
export type TurnDetection = z.output<typeof turnDetection>;

export const DEFAULT_TURN_DETECTION: TurnDetection = turnDetection.parse({ type: 'server_vad' });

/** What a detector goes by. */
export interface TurnThresholds {
  threshold: number;
  prefixMs: number;
  silenceMs: number;
}

const USUAL = { threshold: 0.5, prefixMs: 300 };

/** What one waits for after a sentence that seems complete, and after one that does not, in milliseconds. */
const PATIENCE = { high: [300, 900], medium: [500, 1_500], auto: [500, 1_500], low: [900, 3_000] } as const;

/**
 * How long a silence must be to end a turn. With `semantic_vad` that depends on whether what was heard so far is a whole sentence.
 *
 * @param heard the transcript so far; null: there is none yet
 */
export function thresholdsOf(detection: TurnDetection, heard: string | null): TurnThresholds {
  if (detection.type === 'server_vad') {
    const { threshold, prefix_padding_ms: prefixMs, silence_duration_ms: silenceMs } = detection;
    return { threshold, prefixMs, silenceMs };
  }
  const [whole, broken] = PATIENCE[detection.eagerness];
  if (heard === null) return { ...USUAL, silenceMs: whole };
  return { ...USUAL, silenceMs: seemsComplete(heard) ? whole : broken };
}

/** Words after which more is to come. */
const OPEN_END =
  /(?:^|\s)(?:and|or|but|so|because|if|when|that|which|the|a|an|to|of|for|with|in|on|at|from|is|are|was|um|uh|er|like|und|oder|aber|weil|wenn|dass|der|die|das|ein|eine|mit|et|ou|mais|que|le|la|les|un|une|de|y|o|pero|el|los|con)[\s,.…]*$/iu;

function seemsComplete(heard: string): boolean {
  const text = heard.trim();
  return /[.!?。！？।؟]["'”’»)]*$/u.test(text) && !/\.{2,}$|…$/u.test(text) && !OPEN_END.test(text);
}
