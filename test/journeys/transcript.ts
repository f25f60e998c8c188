import type { Frame, Payload } from './event-stream.ts';

const TERMINAL = ['execution.succeeded', 'execution.failed', 'execution.cancelled'];

/**
 * What a reader has been given of one execution, over all its connections. Every frame is held against the rules as it comes: numbers
 * follow each other without a repeat, and without a gap but before a reset that stands for what was trimmed or lost; one terminal event,
 * and nothing after it but the end mark.
 */
export class Transcript {
  readonly deltas = new Map<number, string>();
  readonly resets: { seq: number; reason: string; at: number }[] = [];
  executionId: string | null = null;
  /** The last id, by which one comes back. */
  last = 0;
  terminal: Payload | null = null;
  /** Whether the end mark came. */
  done = false;
  #text = '';
  /** Number of the last event; ahead of `last` inside the group of frames that stands for what was trimmed. */
  #seq = 0;
  #folded = false;

  /** Takes the next frame; throws when it breaks a rule. */
  add({ id, data, at }: Frame): void {
    if (this.done) throw new Error(`after the end mark: ${JSON.stringify(data)}`);
    if (data === null) {
      if (!this.terminal) throw new Error('the end mark came before a terminal event');
      this.done = true;
      return;
    }
    if (this.terminal) throw new Error(`after the terminal event: ${JSON.stringify(data)}`);
    const trimmed = data.type === 'text.reset' && data.reason === 'log_trimmed';
    if (id === null ? !trimmed && !this.#folded : id !== data.seq) throw new Error(`id ${id} of a frame ${data.seq}`);
    const lost = data.type === 'text.reset' && data.reason === 'log_lost';
    if (trimmed || lost ? data.seq <= this.last : data.seq !== this.#seq + 1) {
      throw new Error(`seq ${data.seq} (${data.type}) after ${this.#seq}`);
    }
    this.executionId ??= data.execution_id;
    if (data.execution_id !== this.executionId) throw new Error(`a frame of another execution: ${data.execution_id}`);
    this.#seq = data.seq;
    this.#folded = id === null;
    if (id !== null) this.last = id;
    if (data.type === 'text.delta') {
      this.deltas.set(data.seq, data.delta);
      this.#text += data.delta;
    } else if (data.type === 'text.reset') {
      this.resets.push({ seq: data.seq, reason: data.reason, at });
      this.#text = '';
    } else if (TERMINAL.includes(data.type)) this.terminal = data;
  }

  /** The answer: the deltas since the last reset. */
  get text(): string {
    return this.#text;
  }

  /** What a replay of the same execution must have given. */
  get summary(): unknown {
    return {
      last: this.last,
      deltas: [...this.deltas],
      resets: this.resets.map(({ seq, reason }) => ({ seq, reason })),
      terminal: this.terminal?.type,
    };
  }

  static of(frames: Frame[]): Transcript {
    const transcript = new Transcript();
    for (const frame of frames) transcript.add(frame);
    return transcript;
  }
}
