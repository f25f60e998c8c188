import { expect } from 'vitest';
import type { EventStream } from './event-stream.ts';
import { Transcript } from './transcript.ts';

/** Reads a stream as it comes; `at` has when each type of event was read first. */
export class Watched {
  readonly transcript = new Transcript();
  readonly at = new Map<string, number>();
  readonly ended: Promise<void>;

  constructor(stream: EventStream) {
    this.ended = this.#read(stream);
    this.ended.catch(() => undefined);
  }

  async #read(stream: EventStream): Promise<void> {
    expect(stream.status).toBe(200);
    for await (const frame of stream) {
      this.transcript.add(frame);
      if (frame.data && !this.at.has(frame.data.type)) this.at.set(frame.data.type, frame.at);
    }
  }

  /** Waits for the end; then the transcript has it. */
  async end(): Promise<Transcript> {
    await this.ended;
    expect(this.transcript.done).toBe(true);
    return this.transcript;
  }
}
