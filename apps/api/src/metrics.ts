import { AggregatorRegistry, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { QueueDepth } from './read-queues.ts';
import { within } from './within.ts';

export interface MetricsSources {
  openStreams: () => number;
  /** May fail or hang while Redis is away, as the next may; the other metrics are answered all the same. */
  queues: () => Promise<QueueDepth[]>;
  /** Metrics of the living workers, each as prom-client's JSON. */
  workers: () => Promise<unknown[]>;
}

/** How long a scrape waits for figures that come from elsewhere, in milliseconds. */
const SOURCE_TIMEOUT_MS = 1_000;

const DURATION_BUCKETS_S = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** The figures of one API process, as Prometheus reads them from `/metrics`. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Histogram<'method' | 'route' | 'status'>;
  readonly #firstToken: Histogram<'kind'>;
  readonly #depth: Gauge<'pool'>;
  readonly #age: Gauge<'pool'>;
  readonly #sources: MetricsSources;

  constructor(sources: MetricsSources) {
    this.#sources = sources;
    const registers = [this.#registry];
    // Among these are the event loop's lag, memory and the garbage collector's pauses.
    collectDefaultMetrics({ register: this.#registry });
    this.#requests = new Histogram({
      name: 'chorus_http_request_duration_seconds',
      help: 'Requests by route and status; a stream lasts until its end.',
      labelNames: ['method', 'route', 'status'],
      buckets: DURATION_BUCKETS_S,
      registers,
    });
    this.#firstToken = new Histogram({
      name: 'chorus_time_to_first_token_seconds',
      help: 'From the arrival of a streamed request to the first text that was sent to its client.',
      labelNames: ['kind'],
      buckets: DURATION_BUCKETS_S,
      registers,
    });
    new Gauge({
      name: 'chorus_open_streams',
      help: 'Event streams that this process has open.',
      registers,
      collect() {
        this.set(sources.openStreams());
      },
    });
    this.#depth = new Gauge({
      name: 'chorus_queue_depth',
      help: 'Jobs that wait in the queue of a pool.',
      labelNames: ['pool'],
      registers,
    });
    this.#age = new Gauge({
      name: 'chorus_queue_age_seconds',
      help: 'How long the oldest waiting job of a pool has waited.',
      labelNames: ['pool'],
      registers,
    });
  }

  countRequest(method: string, route: string, status: number, seconds: number): void {
    this.#requests.observe({ method, route, status }, seconds);
  }

  /** @param seconds since the request arrived */
  observeFirstToken(kind: string, seconds: number): void {
    this.#firstToken.observe({ kind }, seconds);
  }

  /** Adds a figure that is read at each scrape. */
  watch(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.set(read());
      },
    });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** This process's figures, and the sums of what the living workers have published of theirs. */
  async render(): Promise<string> {
    const [queues, published] = await Promise.all([
      within(SOURCE_TIMEOUT_MS, this.#sources.queues()),
      within(SOURCE_TIMEOUT_MS, this.#sources.workers()),
    ]);
    // A queue that can't be read has no figure, rather than the last one.
    this.#depth.reset();
    this.#age.reset();
    for (const { pool, waiting, oldestMs } of queues ?? []) {
      this.#depth.set({ pool }, waiting);
      this.#age.set({ pool }, oldestMs / 1_000);
    }
    const own = await this.#registry.metrics();
    if (!published || published.length === 0) return own;
    return `${own}\n${await AggregatorRegistry.aggregate(published as object[]).metrics()}`;
  }
}
