import type { TimedSpeech } from './provider-port.ts';

/** A segment ends at a pause, or when it fills two lines of subtitles. */
const PAUSE_S = 0.8;
const MAX_CHARACTERS = 84;

const SENTENCE_END = /[.!?…。！？]["'”’»)\]]*$/;

/** Joins words into segments: sentences, or phrases between pauses. */
export function segmentsOf(words: readonly TimedSpeech[]): TimedSpeech[] {
  const segments: TimedSpeech[] = [];
  let current: TimedSpeech | null = null;
  for (const word of words) {
    const ends: boolean =
      current === null ||
      SENTENCE_END.test(current.text) ||
      word.startSecond - current.endSecond > PAUSE_S ||
      current.text.length + word.text.length >= MAX_CHARACTERS;
    if (ends || current === null) {
      current = { ...word };
      segments.push(current);
    } else {
      current.text += ` ${word.text}`;
      current.endSecond = word.endSecond;
    }
  }
  return segments;
}
