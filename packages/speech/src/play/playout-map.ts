import type { Clause } from '../text/clause-cutter.ts';

/** How much of an answer was heard. */
export interface Heard {
  /** Where the last word that was heard whole ends in the answer, with all the marks before it; 0: none was. */
  end: number;
  /** What of the answer was heard, as it was spoken. */
  spoken: string;
  /** Whether that is all that was spoken so far. */
  complete: boolean;
}

interface Placed {
  clause: Clause;
  startMs: number;
  durationMs: number;
  whole: boolean;
}

/** Speech takes about so long for each sign, in milliseconds, where nothing is known of a voice yet. */
const USUAL_MS_PER_SIGN = 65;

/** A pause is as long as so many letters. */
const PAUSE_SIGNS: Readonly<Record<string, number>> = {
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

/** A sign of the scripts that write a syllable or a word with one takes longer than a letter. */
const LONG_SIGN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

const words = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Knows which part of an answer is heard when: each clause by its sound, and within it each word by its share of the clause's signs. */
export class PlayoutMap {
  readonly #placed: Placed[] = [];
  #endMs = 0;

  /** Milliseconds of sound so far. */
  get durationMs(): number {
    return this.#endMs;
  }

  /** The next clause begins. */
  begin(clause: Clause): void {
    const last = this.#placed.at(-1);
    if (last !== undefined) last.whole = true;
    this.#placed.push({ clause, startMs: this.#endMs, durationMs: 0, whole: false });
  }

  /** More sound of the clause that began last. */
  add(ms: number): void {
    const last = this.#placed.at(-1);
    if (last === undefined) return;
    last.durationMs += ms;
    this.#endMs += ms;
  }

  /** The last clause has all of its sound. */
  end(): void {
    const last = this.#placed.at(-1);
    if (last !== undefined) last.whole = true;
  }

  /** What was heard when so many milliseconds have been played. */
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
        end = (clause.positions[length - 1] ?? clause.start) + 1;
      }
      return { end, spoken: spoken.join(' '), complete: false };
    }
    return { end, spoken: spoken.join(' '), complete: true };
  }

  /** How many signs of a clause belong to words that were heard whole. */
  #heardLength(placed: Placed, playedMs: number): number {
    const { clause } = placed;
    if (playedMs <= 0) return 0;
    const total = weightOf(clause.text);
    const share = playedMs / Math.max(placed.durationMs, placed.whole ? 0 : total * this.#msPerSign());
    let heard = 0;
    let weight = 0;
    for (const { segment, index, isWordLike } of words.segment(clause.text)) {
      weight += weightOf(segment);
      if (!isWordLike) continue;
      if (weight / total > share) break;
      heard = index + segment.length;
    }
    return heard;
  }

  /** Of the voice that speaks, as far as that is known. */
  #msPerSign(): number {
    const known = this.#placed.filter(({ whole }) => whole);
    const signs = known.reduce((sum, { clause }) => sum + weightOf(clause.text), 0);
    return signs === 0 ? USUAL_MS_PER_SIGN : known.reduce((sum, { durationMs }) => sum + durationMs, 0) / signs;
  }
}

function weightOf(text: string): number {
  let weight = 0;
  for (const sign of text) weight += PAUSE_SIGNS[sign] ?? (LONG_SIGN.test(sign) ? 3 : 1);
  return weight;
}
