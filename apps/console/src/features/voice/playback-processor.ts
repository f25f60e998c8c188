import { loudness } from './sound-format.ts';
import { worklet } from './worklet-scope.ts';

export type PlaybackOrder = { type: 'push'; item: string; samples: Float32Array } | { type: 'clear' };

/** What is played now: of which item, and how many of its samples have been heard. */
export interface PlaybackReport {
  item: string | null;
  played: number;
  level: number;
}

/** A report goes out after so many samples: 40 ms. */
const REPORT = 960;

/** Plays sound in the order in which it comes, and tells how much of each item was heard. */
class PlaybackProcessor extends worklet.AudioWorkletProcessor {
  readonly #queue: { item: string; samples: Float32Array }[] = [];
  #at = 0;
  #item: string | null = null;
  #played = 0;
  #sinceReport = 0;

  constructor() {
    super();
    this.port.onmessage = ({ data }: MessageEvent<PlaybackOrder>) => {
      if (data.type === 'push') this.#queue.push(data);
      else {
        this.#queue.length = 0;
        this.#at = 0;
        this.#item = null;
        this.#tell(0);
      }
    };
  }

  process(_inputs: Float32Array[][], [output]: Float32Array[][]): boolean {
    const heard = output?.[0];
    if (heard === undefined) return true;
    for (let index = 0; index < heard.length; index++) heard[index] = this.#next();
    for (const channel of output?.slice(1) ?? []) channel.set(heard);
    this.#sinceReport += heard.length;
    if (this.#sinceReport >= REPORT) this.#tell(loudness(heard));
    return true;
  }

  #next(): number {
    const [first] = this.#queue;
    if (first === undefined) return 0;
    if (first.item !== this.#item) {
      this.#item = first.item;
      this.#played = 0;
    }
    const sample = first.samples[this.#at++] ?? 0;
    this.#played += 1;
    if (this.#at >= first.samples.length) {
      this.#queue.shift();
      this.#at = 0;
    }
    return sample;
  }

  #tell(level: number): void {
    this.#sinceReport = 0;
    const report: PlaybackReport = { item: this.#queue.length > 0 ? this.#item : null, played: this.#played, level };
    this.port.postMessage(report);
  }
}

worklet.registerProcessor('playback', PlaybackProcessor);
