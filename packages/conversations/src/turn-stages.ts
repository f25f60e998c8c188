import type { MessageVoice } from '@chorus/contract';

type Stages = MessageVoice['stages'];

/** When the stages of a spoken turn were reached, from its beginning. */
export class TurnStages {
  readonly #began = performance.now();
  readonly #stages: Stages = {
    transcribed_ms: null,
    first_text_ms: null,
    first_audio_ms: null,
    text_ms: null,
    audio_ms: null,
  };

  /** The first time counts. */
  reached(stage: keyof Stages): void {
    this.#stages[stage] ??= Math.round(performance.now() - this.#began);
  }

  get times(): Stages {
    return { ...this.#stages };
  }
}
