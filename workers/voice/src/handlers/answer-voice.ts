import { type Usage, VOICE_LIMITS, type voiceTurn } from '@chorus/contract';
import { NO_USAGE, sumUsage } from '@chorus/providers/usage';
import { type Clause, SpokenAnswer, type SpokenNotice, spokenNotice } from '@chorus/speech';
import type { JobContext } from '@chorus/worker-kit';
import { SoundOutput } from './sound-output.ts';
import type { VoiceParts } from './voice-parts.ts';

type Job = Pick<JobContext<typeof voiceTurn.kind>, 'input' | 'owner' | 'executionId' | 'caller' | 'signal' | 'emit'>;

/** Speaks an answer in the requested format, and emits the audio if requested. */
export class AnswerVoice {
  readonly #job: Job;
  readonly #sound: SoundOutput;
  readonly #spoken: SpokenAnswer;
  #usage: Usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: 0 };

  /**
   * @param index place of the audio in the output
   * @param onSound called for each chunk
   */
  constructor(providers: VoiceParts['providers'], job: Job, index: number, onSound: () => void) {
    this.#job = job;
    const { format, stream } = job.input.speech;
    const emit = stream ? job.emit : null;
    this.#sound = new SoundOutput({ format, index, longestMs: VOICE_LIMITS.spokenMs, emit, onSound });
    this.#spoken = new SpokenAnswer({
      speak: (clause, signal) => this.#speak(providers, clause, signal),
      hear: (pcm) => this.#sound.hear(pcm),
      signal: job.signal,
    });
  }

  take(text: string): void {
    this.#spoken.take(text);
  }

  /** Says something that is not part of the answer. */
  say(notice: SpokenNotice, language: string | null): void {
    this.#spoken.say(spokenNotice(notice, language));
  }

  /** Usage of synthesis so far. */
  get usage(): Usage {
    return this.#usage;
  }

  async stop(): Promise<void> {
    await this.#spoken.stop();
    await this.#sound.close();
  }

  /** Returns the whole audio, once all text was added. */
  async end(): ReturnType<SoundOutput['end']> {
    await this.#spoken.end();
    return this.#sound.end();
  }

  #spend(used: Usage): void {
    this.#usage = sumUsage(this.#usage, used);
  }

  async *#speak(providers: VoiceParts['providers'], { text }: Clause, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    // Speech beyond the limit is not synthesized, which would cost.
    if (this.#sound.isCut) return;
    const { caller, input } = this.#job;
    const { model, voice } = input.speech;
    const call = { model, text, ...(voice !== null && { voice }) };
    yield* providers.streamSpeech(call, { signal, ...caller, onUnfinished: (used) => this.#spend(used) });
    this.#spend({ ...NO_USAGE, cost_usd: providers.costOfSpeech(call) });
  }
}
