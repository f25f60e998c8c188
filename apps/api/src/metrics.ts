import { POOLS, type Pool } from '@chorus/contract';
import type { Dispatcher } from '@chorus/queue';
import { sampleLoopWithoutTimer, valueWithin } from '@chorus/runtime/timing';
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface QueueDepth {
  pool: Pool;
  waiting: number;
  /** Age of the oldest waiting job. 0: none waits. */
  oldestMs: number;
}

export function readQueues(dispatcher: Pick<Dispatcher, 'pressure'>): Promise<QueueDepth[]> {
  return Promise.all(
    POOLS.map(async (pool) => {
      const { depth, oldestMs } = await dispatcher.pressure(pool);
      return { pool, waiting: depth, oldestMs };
    }),
  );
}

export interface MetricsSources {
  openStreams: () => number;
  /** May fail or hang while Redis is away, like `workers`. Other metrics are still rendered. */
  queues: () => Promise<QueueDepth[]>;
  /** Metrics of live workers, as prom-client's JSON. */
  workers: () => Promise<unknown[]>;
}

/** How long a scrape waits for values from other processes. */
const SOURCE_TIMEOUT_MS = 1_000;

const DURATION_BUCKETS_S = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** The metrics of one API process, for Prometheus. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Histogram<'method' | 'route' | 'status'>;
  readonly #firstToken: Histogram<'kind'>;
  readonly #toolCalls: Counter<'tool' | 'outcome'>;
  readonly #depth: Gauge<'pool'>;
  readonly #age: Gauge<'pool'>;
  readonly #sources: MetricsSources;

  constructor(sources: MetricsSources) {
    this.#sources = sources;
    const registers = [this.#registry];
    // Includes event loop lag, memory and garbage collection pauses.
    sampleLoopWithoutTimer(() => collectDefaultMetrics({ register: this.#registry }));
    this.#requests = new Histogram({
      name: 'chorus_http_request_duration_seconds',
      help: 'Requests by route and status. A stream lasts until it ends.',
      labelNames: ['method', 'route', 'status'],
      buckets: DURATION_BUCKETS_S,
      registers,
    });
    this.#firstToken = new Histogram({
      name: 'chorus_time_to_first_token_seconds',
      help: 'Time from the arrival of a streaming request to the first text sent to its client.',
      labelNames: ['kind'],
      buckets: DURATION_BUCKETS_S,
      registers,
    });
    this.#toolCalls = new Counter({
      name: 'chorus_mcp_tool_calls_total',
      help: 'Calls of MCP tools. Outcome: ok, or the code of the error.',
      labelNames: ['tool', 'outcome'],
      registers,
    });
    new Gauge({
      name: 'chorus_open_streams',
      help: 'Open event streams of this process.',
      registers,
      collect() {
        this.set(sources.openStreams());
      },
    });
    this.#depth = new Gauge({
      name: 'chorus_queue_depth',
      help: 'Jobs waiting in the queue of a pool.',
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

  countToolCall(tool: string, outcome: string): void {
    this.#toolCalls.inc({ tool, outcome });
  }

  observeFirstToken(kind: string, seconds: number): void {
    this.#firstToken.observe({ kind }, seconds);
  }

  /** Adds a gauge that is read at each scrape. */
  addGauge(name: string, help: string, read: () => number): void {
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

  /** Renders this process's metrics, and the sums over all live workers. */
  async render(): Promise<string> {
    const [queues, published] = await Promise.all([
      valueWithin(this.#sources.queues(), SOURCE_TIMEOUT_MS),
      valueWithin(this.#sources.workers(), SOURCE_TIMEOUT_MS),
    ]);
    // An unreadable queue has no value, rather than an outdated one.
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
