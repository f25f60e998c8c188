import type { TurnDetection } from '@chorus/contract';

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
