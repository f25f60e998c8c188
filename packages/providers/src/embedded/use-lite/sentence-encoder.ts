import type { Logger } from '@chorus/log';
import type { EmbeddingPurpose } from '../../provider-port.ts';
import { type EngineOptions, EngineProcess } from '../engine/engine-process.ts';
import { DIMENSIONS } from './encoder-graph.ts';

const PROGRAM = new URL('../../use-lite-main.ts', import.meta.url);

/** What stands behind is beyond what the model reads: a token has at most 16 characters. */
const MAX_CHARACTERS = 8_192;
/** What is handed over at once: so long at most a question waits behind a document. */
const UNIT_TEXTS = 8;
const UNIT_CHARACTERS = 8_192;

/** Some texts of one call, computed together. */
export interface TextsToEncode {
  texts: string[];
}

export interface EncodedTexts {
  /** The vectors one behind the other. */
  vectors: Float32Array;
  tokens: number;
}

/** The sentence encoder in a process of its own. Questions come before documents. */
export class SentenceEncoder {
  readonly #engine: EngineProcess<TextsToEncode, EncodedTexts>;

  constructor(log: Logger) {
    const limits = { idleMs: 120_000, mostWaiting: Number.POSITIVE_INFINITY };
    this.#engine = new EngineProcess(PROGRAM, [], limits, log);
  }

  /**
   * @returns a vector for each text, in their order, not scaled
   * @throws ChorusError `provider_error` where the process can't be run; the signal's reason at once
   */
  async encode(
    texts: readonly string[],
    purpose: EmbeddingPurpose,
    { signal, user }: Pick<EngineOptions, 'signal' | 'user'>,
  ): Promise<{ vectors: Float32Array[]; tokens: number }> {
    const urgency = { now: purpose === 'query' };
    const encoded: EncodedTexts[] = [];
    for (const unit of unitsOf(texts))
      for await (const part of this.#engine.run({ texts: unit }, { signal, urgency, user })) encoded.push(part);
    return {
      vectors: encoded.flatMap(({ vectors }) => rowsOf(vectors)),
      tokens: encoded.reduce((sum, { tokens }) => sum + tokens, 0),
    };
  }

  /** Ends the process; what it computes, and what waits, fails. */
  close(): void {
    this.#engine.close();
  }

  /** Of the process that holds it; null while there is none. */
  get pid(): number | null {
    return this.#engine.pid;
  }
}

/** The texts in groups, each as long as may be computed at once. */
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

/** Each with memory of its own, so that one that is kept does not keep the others. */
function rowsOf(vectors: Float32Array): Float32Array[] {
  return Array.from({ length: vectors.length / DIMENSIONS }, (_, row) =>
    vectors.slice(row * DIMENSIONS, (row + 1) * DIMENSIONS),
  );
}
