import { POOLS, type Pool } from '@chorus/contract';
import type { Dispatcher } from '@chorus/queue';
import { DURATION_BUCKETS_S, ProcessMetrics } from '@chorus/runtime/metrics';
import { Counter, Histogram } from 'prom-client';

export interface QueueDepth {
  pool: Pool;
  waiting: number;
  /** Age of the oldest waiting job. 0: none is waiting. */
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

/** The metrics of one API process, for Prometheus. Those of other processes are in `renderPlatformMetrics`. */
export class Metrics extends ProcessMetrics {
  readonly #requests: Histogram<'method' | 'route' | 'status'>;
  readonly #firstToken: Histogram<'kind'>;
  readonly #toolCalls: Counter<'tool' | 'outcome'>;

  constructor({ openStreams }: { openStreams: () => number }) {
    super();
    const registers = [this.registry];
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
    this.addGauge('chorus_open_streams', 'Open event streams of this process.', openStreams);
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
}
