import { ChorusError } from './chorus-error.ts';
import { callOptions } from './client-options.ts';
import { idleMsOf } from './execution-frames.ts';
import { type FollowOptions, follow, type Step } from './follow.ts';
import type { Batch, BatchFrame, BatchResult } from './generated/api-types.ts';
import { parseJson, readEvents, readLines } from './read-response.ts';
import type { Transport } from './transport.ts';

/** Silence after which the client reconnects. No results arrive while no item ends. */
const QUIET_MS = 60_000;

export interface BatchWatchOptions extends FollowOptions {
  /** `cursor` of the last result you have. Default: from the first result. */
  after?: string | undefined;
  /** Called with the current batch, and after each change of its counts. */
  onProgress?: ((batch: Batch) => void) | undefined;
}

/** Iterates over the states of a batch until it has ended. */
export function watchBatch(
  transport: Transport,
  id: string,
  { onConnection, ...options }: FollowOptions = {},
): AsyncGenerator<Batch> {
  const { signal } = options;
  const call = callOptions(options);
  const open = () => transport.open('GET /batches/{batch_id}/events', { path: { batch_id: id } }, call);
  const read = async function* (response: Response): AsyncGenerator<Step<Batch>> {
    for await (const { data } of readEvents(response, idleMsOf(transport), signal)) {
      const { type, batch } = parseJson<BatchFrame>(data);
      yield { value: batch, last: type !== 'batch.progress' };
    }
  };
  return follow({ type: 'text/event-stream', open, read, limits: transport.options, signal, onConnection });
}

/** Iterates over results, each item once, until the batch has ended. */
export function batchResults(
  transport: Transport,
  id: string,
  { after, onConnection, ...options }: BatchWatchOptions = {},
): AsyncGenerator<BatchResult> {
  const { signal } = options;
  const call = callOptions(options);
  let cursor = after;
  const path = { batch_id: id };
  const open = (more: 'true' | 'false' = 'true') => {
    const query = { after: cursor, follow: more };
    return transport.open('GET /batches/{batch_id}/results', { path, query }, call);
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
    // The response ends with the batch, but also when the API process stops.
    const { finished_at } = await transport.request('GET /batches/{batch_id}', { path }, call);
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

/** The results of a running batch. Iterate once; leaving the loop stops reading, not the batch. */
export class BatchRun implements AsyncIterable<BatchResult> {
  /** Id of the batch. Resume later with it and the `cursor` of the last result. */
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
    watching.catch(() => undefined); // thrown by the await below
    try {
      yield* batchResults(this.#transport, this.id, this.#options);
      await watching;
    } finally {
      stop.abort();
      await watching;
    }
  }

  /** Reads to the end and returns the batch. */
  async done(): Promise<Batch> {
    for await (const _ of this);
    return this.#transport.request(
      'GET /batches/{batch_id}',
      { path: { batch_id: this.id } },
      callOptions(this.#options),
    );
  }

  /**
   * Cancels the batch: waiting items never run, and running ones are asked to stop. They still come as results.
   */
  cancel(): Promise<Batch> {
    return this.#transport.request('POST /batches/{batch_id}/cancel', { path: { batch_id: this.id } });
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { onProgress } = this.#options;
    if (onProgress === undefined) return;
    try {
      for await (const batch of watchBatch(this.#transport, this.id, { ...callOptions(this.#options), signal }))
        onProgress(batch);
    } catch (error) {
      // The results report errors of the server.
      if (!signal.aborted && !(error instanceof ChorusError)) throw error;
    }
  }
}
