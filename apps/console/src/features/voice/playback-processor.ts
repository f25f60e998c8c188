import { loudness } from '../../audio/pcm.ts';
import { worklet } from './worklet-scope.ts';

export type PlaybackCommand = { type: 'push'; item: string; samples: Float32Array } | { type: 'clear' };

/** The item being played, and how many of its samples were heard. */
export interface PlaybackReport {
  item: string | null;
  played: number;
  level: number;
}

/** 40 ms at 24 kHz. */
const REPORT_SAMPLES = 960;

/** Plays audio in order and reports how much of each item was heard. */
class PlaybackProcessor extends worklet.AudioWorkletProcessor {
  readonly #queue: { item: string; samples: Float32Array }[] = [];
  #offset = 0;
  #item: string | null = null;
  #samplesPlayed = 0;
  #sinceReport = 0;

  constructor() {
    super();
    this.port.onmessage = ({ data }: MessageEvent<PlaybackCommand>) => {
      if (data.type === 'push') this.#queue.push(data);
      else {
        this.#queue.length = 0;
        this.#offset = 0;
        this.#item = null;
        this.#sendReport(0);
      }
    };
  }

  process(_inputs: Float32Array[][], [output]: Float32Array[][]): boolean {
    const heard = output?.[0];
    if (heard === undefined) return true;
    for (let index = 0; index < heard.length; index++) heard[index] = this.#next();
    for (const channel of output?.slice(1) ?? []) channel.set(heard);
    this.#sinceReport += heard.length;
    if (this.#sinceReport >= REPORT_SAMPLES) this.#sendReport(loudness(heard));
    return true;
  }

  #next(): number {
    const [first] = this.#queue;
    if (first === undefined) return 0;
    if (first.item !== this.#item) {
      this.#item = first.item;
      this.#samplesPlayed = 0;
    }
    const sample = first.samples[this.#offset++] ?? 0;
    this.#samplesPlayed += 1;
    if (this.#offset >= first.samples.length) {
      this.#queue.shift();
      this.#offset = 0;
    }
    return sample;
  }

  #sendReport(level: number): void {
    this.#sinceReport = 0;
    const report: PlaybackReport = {
      item: this.#queue.length > 0 ? this.#item : null,
      played: this.#samplesPlayed,
      level,
    };
    this.port.postMessage(report);
  }
}

worklet.registerProcessor('playback', PlaybackProcessor);
