import type { Logger } from '@chorus/runtime/log';
import { type EngineOptions, EngineProcess } from '../engine/engine-process.ts';
import { DIMENSIONS } from './encoder-graph.ts';

const PROGRAM = new URL('./use-lite-main.ts', import.meta.url);

/** Longer text exceeds the model's window, since a token has at most 16 characters. */
const MAX_CHARACTERS = 8_192;
/** Limits the work that is computed at once, so that a question does not wait long for a document. */
const UNIT_TEXTS = 8;
const UNIT_CHARACTERS = 8_192;

export interface TextsToEncode {
  texts: string[];
}

export interface EncodedTexts {
  vectors: Float32Array;
  tokens: number;
  /** Index of the first text that was not read to its end, or null. */
  cut: number | null;
}

/** Runs the sentence encoder in a child process. Questions come before documents. */
export class SentenceEncoder {
  readonly #engine: EngineProcess<TextsToEncode, EncodedTexts>;

  constructor(log: Logger) {
    const limits = { idleMs: 120_000, maxWaiting: Number.POSITIVE_INFINITY };
    this.#engine = new EngineProcess(PROGRAM, [], limits, log);
  }

  /**
   * Encodes texts.
   *
   * @returns a vector of length 1 for each text, in order
   * @throws ChorusError `provider_error` if the process can't run; the signal's reason
   */
  async encode(
    texts: readonly string[],
    purpose: 'document' | 'query',
    { signal, user }: Pick<EngineOptions, 'signal' | 'user'>,
  ): Promise<{ vectors: Float32Array[]; tokens: number; cut: number | null }> {
    const urgency = { now: purpose === 'query' };
    const vectors: Float32Array[] = [];
    const long = texts.findIndex((text) => text.length > MAX_CHARACTERS);
    let cut = long < 0 ? null : long;
    let tokens = 0;
    for (const unit of unitsOf(texts)) {
      for await (const part of this.#engine.run({ texts: unit }, { signal, urgency, user })) {
        if (part.cut !== null) cut = Math.min(cut ?? texts.length, vectors.length + part.cut);
        tokens += part.tokens;
        vectors.push(...rowsOf(part.vectors));
      }
    }
    return { vectors, tokens, cut };
  }

  /** Ends the process. Running and waiting requests fail. */
  close(): void {
    this.#engine.close();
  }

  get pid(): number | null {
    return this.#engine.pid;
  }
}

/** Groups texts into units that are computed at once. */
function unitsOf(texts: readonly string[]): string[][] {
  const units: string[][] = [];
  let characters = 0;
  for (const text of texts) {
    const cut = text.slice(0, MAX_CHARACTERS).toWellFormed();
    const last = units.at(-1);
    if (last === undefined || last.length === UNIT_TEXTS || characters + cut.length > UNIT_CHARACTERS) {
      units.push([cut]);
      characters = cut.length;
    } else {
      last.push(cut);
      characters += cut.length;
    }
  }
  return units;
}

/** Copies each vector, scaled to length 1, so that keeping one does not keep all. */
function rowsOf(vectors: Float32Array): Float32Array[] {
  return Array.from({ length: vectors.length / DIMENSIONS }, (_, row) => {
    const vector = vectors.slice(row * DIMENSIONS, (row + 1) * DIMENSIONS);
    const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
    return vector.map((value) => value / length);
  });
}
