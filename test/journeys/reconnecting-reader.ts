import { setTimeout as pause } from 'node:timers/promises';
import type { ApiClient } from './api-client.ts';
import type { EventStream } from './event-stream.ts';
import type { PlatformProcess } from './platform-process.ts';
import type { SeededRandom } from './seeded-random.ts';
import { Transcript } from './transcript.ts';

const TIMEOUT_MS = 90_000;

export interface ReconnectingReaderOptions {
  client: ApiClient;
  apis: readonly PlatformProcess[];
  random: SeededRandom;
  name: string;
  model: string;
}

/**
 * Starts a turn, drops its connection at random moments, and reconnects to any API process with its last id. If
 * the start request was lost, it looks up whether an execution exists.
 */
export class ReconnectingReader {
  readonly name: string;
  readonly model: string;
  readonly transcript = new Transcript();
  dropped = 0;
  cut = 0;
  refused = 0;
  readonly #options: ReconnectingReaderOptions;

  constructor(options: ReconnectingReaderOptions) {
    this.#options = options;
    this.name = options.name;
    this.model = options.model;
  }

  async run(): Promise<void> {
    const { random } = this.#options;
    const deadline = performance.now() + TIMEOUT_MS;
    while (!this.transcript.done) {
      if (performance.now() > deadline) {
        const { executionId, last } = this.transcript;
        throw new Error(`stream ${this.name} (${executionId}) did not end; its last event is ${last}`);
      }
      const stream = await this.#connect();
      if (stream) await this.#read(stream);
      if (!this.transcript.done) await pause(random.between(0, 400));
    }
  }

  /** Connects to any API process; returns null if none responds. */
  async #connect(): Promise<EventStream | null> {
    const { client, apis, random, model, name } = this.#options;
    const options = { url: random.pick(apis).url };
    try {
      this.transcript.executionId ??= this.cut + this.dropped > 0 ? await this.#find(options) : null;
      const id = this.transcript.executionId;
      const stream =
        id === null
          ? await client.stream({ message: `Go on, ${name}.`, model, metadata: { name } }, options)
          : await client.events(id, this.transcript.last, options);
      if (stream.status === 200) return stream;
      const text = await stream.text();
      if (stream.status !== 503) throw new UnexpectedAnswer(`stream ${name}: ${stream.status} ${text}`);
      this.refused += 1;
    } catch (error) {
      if (error instanceof UnexpectedAnswer) throw error;
      this.cut += 1;
    }
    return null;
  }

  async #find(options: { url: string }): Promise<string | null> {
    const { client, name } = this.#options;
    const { status, body } = await client.get('/jobs?limit=100', options);
    if (status !== 200) throw new Error(`GET /jobs: ${status}`);
    const found = body.data.find((job: { metadata: { name?: string } }) => job.metadata.name === name);
    return found?.id ?? null;
  }

  async #read(stream: EventStream): Promise<void> {
    const { random } = this.#options;
    let dropping = false;
    const timer = setTimeout(
      () => {
        dropping = true;
        stream.drop();
      },
      random.between(0, 2_500),
    );
    try {
      for await (const frame of stream) {
        if (dropping) break;
        this.transcript.add(frame);
      }
    } catch (error) {
      if (!isDisconnect(error)) throw error;
      if (!dropping) this.cut += 1;
    } finally {
      clearTimeout(timer);
      stream.drop();
    }
    if (dropping) this.dropped += 1;
  }
}

class UnexpectedAnswer extends Error {}

/** Tells a broken connection from a wrong frame. */
function isDisconnect(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return code !== undefined || error.message.startsWith('the stream ended inside a frame');
}
