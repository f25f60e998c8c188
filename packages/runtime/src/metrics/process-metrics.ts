import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { sampleLoopWithoutTimer } from '../timing/index.ts';
import { createProviderMetrics, type ProviderMetrics } from './provider-metrics.ts';

/** The metrics of a process that serves them itself, for Prometheus. */
export class ProcessMetrics {
  readonly registry = new Registry();
  #providers: ProviderMetrics | null = null;

  constructor() {
    // Includes event loop lag, memory and garbage collection pauses.
    sampleLoopWithoutTimer(() => collectDefaultMetrics({ register: this.registry }));
  }

  /** Measures calls to providers by this process, for voice sockets. */
  get providers(): ProviderMetrics {
    this.#providers ??= createProviderMetrics(this.registry);
    return this.#providers;
  }

  /** Adds a gauge that is read at each scrape. */
  addGauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  render(): Promise<string> {
    return this.registry.metrics();
  }
}
