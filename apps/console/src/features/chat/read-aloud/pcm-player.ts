import { fromPcm16, SAMPLE_RATE } from '../../../audio/pcm.ts';

/** Plays sound without gaps while it arrives. */
export class PcmPlayer {
  readonly #context = new AudioContext({ sampleRate: SAMPLE_RATE });
  /** When the queued audio ends, on the context's clock. */
  #endsAt = 0;
  #isClosed = false;
  #waiting: (() => void)[] = [];

  push(pcm: Int16Array): void {
    if (this.#isClosed || pcm.length === 0) return;
    const buffer = this.#context.createBuffer(1, pcm.length, SAMPLE_RATE);
    buffer.copyToChannel(fromPcm16(pcm), 0);
    const source = new AudioBufferSourceNode(this.#context, { buffer });
    source.connect(this.#context.destination);
    source.onended = () => this.#wake();
    const startsAt = Math.max(this.#endsAt, this.#context.currentTime);
    source.start(startsAt);
    this.#endsAt = startsAt + buffer.duration;
  }

  /** Waits until at most this much sound is left, or the player is closed. */
  async untilLeft(seconds: number): Promise<void> {
    while (!this.#isClosed && this.#endsAt - this.#context.currentTime > seconds)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    void this.#context.close();
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
