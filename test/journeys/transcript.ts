import { expect } from 'vitest';
import type { EventStream, Frame, Payload } from './event-stream.ts';
import type { Platform } from './platform.ts';

const TERMINAL = ['execution.succeeded', 'execution.failed', 'execution.cancelled'];

/**
 * Collects an execution's frames over all connections, and checks each: contiguous numbers, except for a reset
 * after a trimmed or lost log; one terminal event, and after it only the end mark.
 */
export class Transcript {
  readonly deltas = new Map<number, string>();
  readonly resets: { seq: number; reason: string; at: number }[] = [];
  executionId: string | null = null;
  last = 0;
  terminal: Payload | null = null;
  done = false;
  #text = '';
  /** Last sequence number; ahead of `last` within a group that replaces trimmed events. */
  #seq = 0;
  #folded = false;

  add({ id, data, at }: Frame): void {
    if (this.done) throw new Error(`after the end mark: ${JSON.stringify(data)}`);
    if (data === null) {
      if (!this.terminal) throw new Error('the end mark came before the terminal event');
      this.done = true;
      return;
    }
    if (this.terminal) throw new Error(`after the terminal event: ${JSON.stringify(data)}`);
    const trimmed = data.type === 'text.reset' && data.reason === 'log_trimmed';
    if (id === null ? !trimmed && !this.#folded : id !== data.seq)
      throw new Error(`id ${id} on a frame with seq ${data.seq}`);
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

  /** The text since the last reset. */
  get text(): string {
    return this.#text;
  }

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

/** Reads a stream and records when each event type was first read. */
export class WatchedStream {
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

  async end(): Promise<Transcript> {
    await this.ended;
    expect(this.transcript.done).toBe(true);
    return this.transcript;
  }
}

/** Compares what a reader received with the database and with a fresh replay from each API. */
export async function checkStored({ client, apis }: Platform, given: Transcript): Promise<Transcript[]> {
  const id = given.executionId ?? '';
  const job = await client.job(id);
  expect(job.finished_at, id).not.toBeNull();
  expect(`execution.${job.status}`, id).toBe(given.terminal.type);
  expect(textOf(job), id).toBe(given.text);
  const answer = (await client.messages(job.session_id)).find((message) => message.id === job.message_id);
  expect(answer, id).toMatchObject({ content: given.text, status: job.status, execution_id: id });
  const session = await client.get(`/sessions/${job.session_id}`);
  expect(session.body.active_execution_id, id).toBeNull();
  const replays = await Promise.all(
    apis.map(async ({ url }) => Transcript.of(await (await client.events(id, 0, { url })).frames())),
  );
  for (const replay of replays) expect(replay.done, id).toBe(true);
  return replays;
}

export const textOf = (job: Payload): string => job.output.map((item: { text: string }) => item.text).join('');
