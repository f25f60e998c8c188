import { ChorusError } from './chorus-error.ts';
import { idleMsOf } from './execution-frames.ts';
import { type FollowOptions, follow, type Step } from './follow.ts';
import type { Batch, BatchFrame, BatchResult } from './generated/api-types.ts';
import { readEvents } from './read-events.ts';
import { parseJson } from './read-json.ts';
import { readLines } from './read-lines.ts';
import type { Transport } from './transport.ts';

/** The results say nothing while nothing ends, so a quiet connection is made anew now and then, in milliseconds. */
const QUIET_MS = 60_000;

export interface BatchWatchOptions extends FollowOptions {
  /** `cursor` of the last result that you have: what comes goes on behind it. */
  after?: string | undefined;
  /** Told of the batch as it is, and again whenever its counts have changed. */
  onProgress?: ((batch: Batch) => void) | undefined;
}

/** The batch as it is, then whenever it has changed, until it has ended. */
export function watchBatch(
  transport: Transport,
  id: string,
  { signal, onConnection }: FollowOptions = {},
): AsyncGenerator<Batch> {
  const open = () => transport.open('GET /batches/{batch_id}/events', { path: { batch_id: id } }, { signal });
  const read = async function* (response: Response): AsyncGenerator<Step<Batch>> {
    for await (const { data } of readEvents(response, idleMsOf(transport), signal)) {
      const { type, batch } = parseJson<BatchFrame>(data);
      yield { value: batch, last: type !== 'batch.progress' };
    }
  };
  return follow({ type: 'text/event-stream', open, read, limits: transport.options, signal, onConnection });
}

/** What has ended of a batch, each item once, until all has. */
export function batchResults(
  transport: Transport,
  id: string,
  { after, signal, onConnection }: BatchWatchOptions = {},
): AsyncGenerator<BatchResult> {
  let cursor = after;
  const path = { batch_id: id };
  const open = (more: 'true' | 'false' = 'true') => {
    const query = { after: cursor, follow: more };
    return transport.open('GET /batches/{batch_id}/results', { path, query }, { signal });
  };
  const linesOf = async function* (response: Response): AsyncGenerator<Step<BatchResult>> {
    for await (const line of readLines(response, QUIET_MS, signal)) {
      const value = parseJson<BatchResult>(line);
      cursor = value.cursor;
      yield { value };
    }
  };
  const read = async function* (response: Response): AsyncGenerator<Step<BatchResult>, boolean> {
    yield* linesOf(response);
    // It ends with the batch; but also when that process of the server stops.
    const { finished_at } = await transport.request('GET /batches/{batch_id}', { path }, { signal });
    if (finished_at === null) return false;
    yield* linesOf(await open('false'));
    return true;
  };
  return follow({
    type: 'application/x-ndjson',
    open: () => open(),
    read,
    limits: transport.options,
    signal,
    onConnection,
  });
}

/** A batch as it runs: its results as they come. It is read once; leaving the loop ends the reading, never the batch. */
export class BatchRun implements AsyncIterable<BatchResult> {
  /** By it, and by the `cursor` of the last result, a batch is resumed later. */
  readonly id: string;
  readonly #transport: Transport;
  readonly #options: BatchWatchOptions;

  constructor(transport: Transport, id: string, options: BatchWatchOptions) {
    this.id = id;
    this.#transport = transport;
    this.#options = options;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<BatchResult> {
    const stop = new AbortController();
    const watching = this.#watch(stop.signal);
    watching.catch(() => undefined); // thrown where it is waited for
    try {
      yield* batchResults(this.#transport, this.id, this.#options);
      await watching;
    } finally {
      stop.abort();
      await watching;
    }
  }

  /** Reads to the end: the batch as it has ended. */
  async done(): Promise<Batch> {
    for await (const _ of this);
    return this.#transport.request('GET /batches/{batch_id}', { path: { batch_id: this.id } }, this.#options);
  }

  /** Items that wait never run, those that run are asked to stop. Their ends come as results. */
  cancel(): Promise<Batch> {
    return this.#transport.request('POST /batches/{batch_id}/cancel', { path: { batch_id: this.id } });
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { onProgress } = this.#options;
    if (onProgress === undefined) return;
    try {
      for await (const batch of watchBatch(this.#transport, this.id, { signal })) onProgress(batch);
    } catch (error) {
      // What is wrong with the server, the results say.
      if (!signal.aborted && !(error instanceof ChorusError)) throw error;
    }
  }
}
