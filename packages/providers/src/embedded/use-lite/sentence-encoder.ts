import { type ChildProcess, fork } from 'node:child_process';
import { ChorusError } from '@chorus/contract';
import type { Logger } from '@chorus/log';
import type { EmbeddingPurpose } from '../../provider-port.ts';
import { DIMENSIONS } from './encoder-graph.ts';
import type { FromEncoder, ToEncoder } from './encoder-protocol.ts';

/** What stands behind is beyond what the model reads: a token has at most 16 characters. */
const MAX_CHARACTERS = 8_192;
/** What is handed over at once: so long at most a question waits behind a document. */
const UNIT_TEXTS = 8;
const UNIT_CHARACTERS = 8_192;
/** Longer than any unit takes on a slow machine, in milliseconds; loading, too. */
const UNIT_LIMIT_MS = 60_000;
/** With nothing to do for so long the process is ended, in milliseconds: its memory goes with it. */
const IDLE_MS = 120_000;
/** JavaScript's own part of its memory, in MB. */
const HEAP_MB = 256;

/** Some texts of one call, computed together. */
interface Unit {
  texts: string[];
  purpose: EmbeddingPurpose;
  /** A process ended over it once. */
  tried: boolean;
  resolve(encoded: { vectors: Float32Array[]; tokens: number }): void;
  reject(reason: unknown): void;
}

/**
 * The sentence encoder in a process of its own, which holds up nobody here, and whose end costs one more try. It is started when it is first asked,
 * and anew when it has ended. Questions come before documents.
 */
export class SentenceEncoder {
  readonly #log: Logger;
  readonly #waiting: Record<EmbeddingPurpose, Unit[]> = { query: [], document: [] };
  #child: ChildProcess | null = null;
  #ready = false;
  #running: Unit | null = null;
  #timer: NodeJS.Timeout | undefined;
  #lastId = 0;
  #closed = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /**
   * @returns a vector for each text, in their order, not scaled
   * @throws ChorusError `provider_error` where the process can't be run; the signal's reason at once
   */
  async encode(
    texts: readonly string[],
    purpose: EmbeddingPurpose,
    signal: AbortSignal,
  ): Promise<{ vectors: Float32Array[]; tokens: number }> {
    signal.throwIfAborted();
    if (this.#closed) throw closed();
    const units: Unit[] = [];
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const done = unitsOf(texts).map(
      (texts) =>
        new Promise<{ vectors: Float32Array[]; tokens: number }>((resolve, reject) => {
          units.push({ texts, purpose, tried: false, resolve, reject });
        }),
    );
    this.#waiting[purpose].push(...units);
    this.#next();
    try {
      const parts = await Promise.race([Promise.all(done), aborted]);
      return {
        vectors: parts.flatMap(({ vectors }) => vectors),
        tokens: parts.reduce((sum, { tokens }) => sum + tokens, 0),
      };
    } finally {
      signal.removeEventListener('abort', abort);
      const left = new Set(units);
      this.#waiting[purpose] = this.#waiting[purpose].filter((unit) => !left.has(unit));
    }
  }

  /** Ends the process; what it computes, and what waits, fails. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#child?.kill('SIGKILL');
    for (const unit of [...this.#waiting.query.splice(0), ...this.#waiting.document.splice(0)]) unit.reject(closed());
  }

  /** Of the process that holds it; null while there is none. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  #next(): void {
    if (this.#running !== null) return;
    const unit = this.#waiting.query.shift() ?? this.#waiting.document.shift();
    clearTimeout(this.#timer);
    const child = this.#child;
    if (unit === undefined) {
      if (child === null) return;
      child.unref();
      child.channel?.unref();
      this.#timer = setTimeout(() => child.kill('SIGKILL'), IDLE_MS).unref();
      return;
    }
    this.#running = unit;
    const used = child ?? this.#start();
    used.ref();
    used.channel?.ref();
    this.#timer = setTimeout(() => used.kill('SIGKILL'), UNIT_LIMIT_MS);
    if (this.#ready) this.#send();
  }

  #send(): void {
    this.#lastId += 1;
    const message: ToEncoder = { id: this.#lastId, texts: this.#running?.texts ?? [] };
    this.#child?.send(message, () => {}); // one that has just ended tells it by its exit
  }

  #start(): ChildProcess {
    const child = fork(new URL('../../use-lite-main.ts', import.meta.url), [], {
      stdio: 'ignore',
      serialization: 'advanced',
      execArgv: [`--max-old-space-size=${HEAP_MB}`],
      env: {},
    });
    this.#child = child;
    this.#ready = false;
    child.on('message', (message: FromEncoder) => {
      if (message.type === 'ready') {
        this.#ready = true;
        this.#send();
      } else if (message.id === this.#lastId) {
        const unit = this.#running;
        this.#running = null;
        unit?.resolve({ vectors: rowsOf(message.vectors), tokens: message.tokens });
        this.#next();
      }
    });
    const gone = () => {
      if (this.#child !== child) return;
      this.#child = null;
      this.#ready = false;
      const unit = this.#running;
      this.#running = null;
      if (unit !== null) {
        if (this.#closed) unit.reject(closed());
        else if (unit.tried)
          unit.reject(new ChorusError('provider_error', 'The embedded model ended in the middle of it'));
        else {
          this.#log.warn({}, 'the sentence encoder ended in the midst of its work, which is done again');
          this.#waiting[unit.purpose].unshift({ ...unit, tried: true });
        }
      }
      this.#next();
    };
    child.once('exit', gone);
    child.once('error', gone);
    return child;
  }
}

function closed(): ChorusError {
  return new ChorusError('provider_error', 'The embedded model has been closed');
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
