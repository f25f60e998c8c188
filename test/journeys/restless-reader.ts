import { setTimeout as pause } from 'node:timers/promises';
import type { ApiClient } from './api-client.ts';
import type { EventStream } from './event-stream.ts';
import type { PlatformProcess } from './platform-process.ts';
import type { SeededRandom } from './seeded-random.ts';
import { Transcript } from './transcript.ts';

/** How long a reader goes on in all, in milliseconds. */
const GIVE_UP_AFTER_MS = 90_000;

export interface RestlessReaderOptions {
  client: ApiClient;
  apis: readonly PlatformProcess[];
  random: SeededRandom;
  /** Names the stream, in the execution's metadata. */
  name: string;
  model: string;
}

/**
 * A client as they are out there: starts a turn, loses its connection at random moments, comes back with the last id that it has, to
 * whichever API process it meets; where its request was lost before it knew an id, it looks whether it was taken in.
 */
export class RestlessReader {
  readonly name: string;
  readonly model: string;
  readonly transcript = new Transcript();
  /** Times that it dropped its connection, was cut off, and was turned away. */
  dropped = 0;
  cut = 0;
  refused = 0;
  readonly #options: RestlessReaderOptions;

  constructor(options: RestlessReaderOptions) {
    this.#options = options;
    this.name = options.name;
    this.model = options.model;
  }

  /** Reads to the end mark. */
  async run(): Promise<void> {
    const { random } = this.#options;
    const deadline = performance.now() + GIVE_UP_AFTER_MS;
    while (!this.transcript.done) {
      if (performance.now() > deadline) {
        const { executionId, last } = this.transcript;
        throw new Error(`stream ${this.name} (${executionId}) has no end; its last event is ${last}`);
      }
      const stream = await this.#connect();
      if (stream) await this.#read(stream);
      if (!this.transcript.done) await pause(random.between(0, 400));
    }
  }

  /** A connection to any API process; null where there is none just now. */
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

  /** The execution that a lost request began, if it did. */
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
        // What arrives after one's own drop was never taken.
        if (dropping) break;
        this.transcript.add(frame);
      }
    } catch (error) {
      if (!isCut(error)) throw error;
      if (!dropping) this.cut += 1;
    } finally {
      clearTimeout(timer);
      stream.drop();
    }
    if (dropping) this.dropped += 1;
  }
}

class UnexpectedAnswer extends Error {}

/** Whether the connection broke, as opposed to what it carried. */
function isCut(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return code !== undefined || error.message.startsWith('the stream ended inside a frame');
}
