import type { TurnDetection } from '@chorus/contract';

export interface TurnThresholds {
  threshold: number;
  prefixMs: number;
  silenceMs: number;
}

const DEFAULTS = { threshold: 0.5, prefixMs: 300 };

/** Silence after a complete sentence, and after an incomplete one. */
const SILENCE_MS = { high: [300, 900], medium: [500, 1_500], auto: [500, 1_500], low: [900, 3_000] } as const;

/**
 * Returns the thresholds for a turn. With `semantic_vad`, the silence depends on whether the text so far is a
 * complete sentence.
 *
 * @param heard the transcript so far; null if there is none
 */
export function thresholdsOf(detection: TurnDetection, heard: string | null): TurnThresholds {
  if (detection.type === 'server_vad') {
    const { threshold, prefix_padding_ms: prefixMs, silence_duration_ms: silenceMs } = detection;
    return { threshold, prefixMs, silenceMs };
  }
  const [whole, broken] = SILENCE_MS[detection.eagerness];
  if (heard === null) return { ...DEFAULTS, silenceMs: whole };
  return { ...DEFAULTS, silenceMs: seemsComplete(heard) ? whole : broken };
}

/** Words that are usually followed by more. */
const OPEN_END =
  /(?:^|\s)(?:and|or|but|so|because|if|when|that|which|the|a|an|to|of|for|with|in|on|at|from|is|are|was|um|uh|er|like|und|oder|aber|weil|wenn|dass|der|die|das|ein|eine|mit|et|ou|mais|que|le|la|les|un|une|de|y|o|pero|el|los|con)[\s,.…]*$/iu;

function seemsComplete(heard: string): boolean {
  const text = heard.trim();
  return /[.!?。！？।؟]["'”’»)]*$/u.test(text) && !/\.{2,}$|…$/u.test(text) && !OPEN_END.test(text);
}
