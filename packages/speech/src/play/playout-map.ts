import type { Clause } from '../text/clause-cutter.ts';

export interface Heard {
  /** End of the last complete word in the answer, including formatting before it. 0 if there is none. */
  end: number;
  /** The spoken form of the heard part. */
  spoken: string;
  complete: boolean;
}

interface Placed {
  clause: Clause;
  startMs: number;
  durationMs: number;
  whole: boolean;
}

/** Default speed before a voice is known. */
const DEFAULT_MS_PER_CHARACTER = 65;

/** Length of pauses, in letters. */
const PAUSE_LENGTHS: Readonly<Record<string, number>> = {
  ',': 3,
  ';': 4,
  ':': 4,
  '.': 5,
  '!': 5,
  '?': 5,
  '—': 4,
  '…': 5,
  '、': 3,
  '，': 3,
  '。': 5,
  '！': 5,
  '？': 5,
};

/** Digits and signs are read as words. */
const READ_AS_WORD = /[\d%$€£°&@+=]/;
const WORD_LENGTH = 4;

/** Characters for a syllable or word take longer than letters. */
const SLOW_CHARACTER = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Created on first use, since the first one in a process takes 30 ms. */
let words: Intl.Segmenter | undefined;

const SLOW_LENGTH = 3;

/** Maps playback time to the answer: clauses by their audio, and words by their share of characters. */
export class PlayoutMap {
  readonly #placed: Placed[] = [];
  #endMs = 0;

  /** Length of the audio so far. */
  get durationMs(): number {
    return this.#endMs;
  }

  begin(clause: Clause): void {
    const last = this.#placed.at(-1);
    if (last !== undefined) last.whole = true;
    this.#placed.push({ clause, startMs: this.#endMs, durationMs: 0, whole: false });
  }

  add(ms: number): void {
    const last = this.#placed.at(-1);
    if (last === undefined) return;
    last.durationMs += ms;
    this.#endMs += ms;
  }

  end(): void {
    const last = this.#placed.at(-1);
    if (last !== undefined) last.whole = true;
  }

  heard(playedMs: number): Heard {
    const spoken: string[] = [];
    let end = 0;
    for (const placed of this.#placed) {
      const { clause, startMs, durationMs, whole } = placed;
      if (whole && startMs + durationMs <= playedMs) {
        spoken.push(clause.text);
        end = clause.end;
        continue;
      }
      const length = this.#heardLength(placed, playedMs - startMs);
      if (length > 0) {
        spoken.push(clause.text.slice(0, length));
        const position = clause.positions[length - 1];
        end = position === undefined ? clause.start : position + 1;
      }
      return { end, spoken: spoken.join(' '), complete: false };
    }
    return { end, spoken: spoken.join(' '), complete: true };
  }

  /** Returns how many characters of a clause belong to completely heard words. */
  #heardLength(placed: Placed, playedMs: number): number {
    const { clause } = placed;
    if (playedMs <= 0) return 0;
    const total = weightOf(clause.text);
    const share = playedMs / Math.max(placed.durationMs, placed.whole ? 0 : total * this.#msPerCharacter());
    let heard = 0;
    let weight = 0;
    words ??= new Intl.Segmenter(undefined, { granularity: 'word' });
    for (const { segment, index, isWordLike } of words.segment(clause.text)) {
      weight += weightOf(segment);
      if (!isWordLike) continue;
      if (weight / total > share) break;
      heard = index + segment.length;
    }
    return heard;
  }

  #msPerCharacter(): number {
    const known = this.#placed.filter(({ whole }) => whole);
    const characters = known.reduce((sum, { clause }) => sum + weightOf(clause.text), 0);
    return characters === 0
      ? DEFAULT_MS_PER_CHARACTER
      : known.reduce((sum, { durationMs }) => sum + durationMs, 0) / characters;
  }
}

function weightOf(text: string): number {
  let weight = 0;
  for (const character of text)
    weight +=
      PAUSE_LENGTHS[character] ??
      (READ_AS_WORD.test(character) ? WORD_LENGTH : SLOW_CHARACTER.test(character) ? SLOW_LENGTH : 1);
  return weight;
}
