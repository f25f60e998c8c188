import type { MessageVoice } from '@chorus/contract';

type Stages = MessageVoice['stages'];

export class TurnStages {
  readonly #began: number;
  readonly #stages: Stages = {
    transcribed_ms: null,
    first_text_ms: null,
    first_audio_ms: null,
    text_ms: null,
    audio_ms: null,
  };

  /**
   * @param began In the time of `performance.now()`.
   * @param transcribedAt Likewise, if the question was transcribed before.
   */
  constructor(began = performance.now(), transcribedAt: number | null = null) {
    this.#began = began;
    if (transcribedAt !== null) this.#stages.transcribed_ms = Math.round(transcribedAt - began);
  }

  /** Only the first call for a stage counts. */
  reached(stage: keyof Stages): void {
    this.#stages[stage] ??= Math.round(performance.now() - this.#began);
  }

  get times(): Stages {
    return { ...this.#stages };
  }
}
