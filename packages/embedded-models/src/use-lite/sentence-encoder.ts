import type { Logger } from '@chorus/runtime/log';
import { type EngineOptions, EngineProcess } from '../engine/engine-process.ts';
import { DIMENSIONS } from './encoder-graph.ts';

const PROGRAM = new URL('./use-lite-main.ts', import.meta.url);

/** Longer text exceeds the model's window: a token has at most 16 characters. */
const MAX_CHARACTERS = 8_192;
/** Limits what is computed at once, so that a question waits little behind a document. */
const UNIT_TEXTS = 8;
const UNIT_CHARACTERS = 8_192;

export interface TextsToEncode {
  texts: string[];
}

export interface EncodedTexts {
  vectors: Float32Array;
  tokens: number;
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
   * @returns a vector for each text, in order, not normalized
   * @throws ChorusError `provider_error` if the process can't run; the signal's reason
   */
  async encode(
    texts: readonly string[],
    purpose: 'document' | 'query',
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

/** Copies each vector, so that keeping one does not keep all. */
function rowsOf(vectors: Float32Array): Float32Array[] {
  return Array.from({ length: vectors.length / DIMENSIONS }, (_, row) =>
    vectors.slice(row * DIMENSIONS, (row + 1) * DIMENSIONS),
  );
}
