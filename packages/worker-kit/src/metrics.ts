import { hostname } from 'node:os';
import { createProviderMetrics, DURATION_BUCKETS_S, modelLabels, type ProviderMetrics } from '@chorus/runtime/metrics';
import { sampleLoopWithoutTimer } from '@chorus/runtime/timing';
import { Counter, collectDefaultMetrics, Gauge, Histogram, type MetricObject, Registry } from 'prom-client';
import type { AttemptObserver } from './attempt-job.ts';

/** Identifies the process among those of one machine, and among containers. */
const PROCESS = `${hostname()}:${process.pid}`;

/** Metrics of the whole process. If it runs several pools, the first one publishes them. */
let ofProcess: Registry | null = null;

/**
 * Measures this process: CPU, memory, event loop, and calls to providers.
 * @param name such as `worker-text`; `text` becomes the label `pool`
 */
export function measureProcess(name: string): ProviderMetrics {
  const registry = labelled(name.replace(/^worker-/, ''));
  sampleLoopWithoutTimer(() => collectDefaultMetrics({ register: registry, prefix: 'chorus_worker_' }));
  ofProcess = registry;
  return createProviderMetrics(registry);
}

function labelled(pool: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ pool, process: PROCESS });
  return registry;
}

export interface PoolMetrics {
  registry: Registry;
  observer: AttemptObserver;
  /** Returns all metrics as prom-client's JSON, with the labels `pool` and `process`. */
  read(): Promise<MetricObject[]>;
  close(): void;
}

/** @param load reads the running jobs, and how many can run at once */
export function createWorkerMetrics(pool: string, load?: () => { active: number; concurrency: number }): PoolMetrics {
  const registry = labelled(pool);
  const shared = ofProcess;
  ofProcess = null;
  return {
    registry,
    observer: measureJobs(registry, load),
    read: async () => [...(await registry.getMetricsAsJSON()), ...((await shared?.getMetricsAsJSON()) ?? [])],
    close: () => registry.clear(),
  };
}

function measureJobs(registry: Registry, load?: () => { active: number; concurrency: number }): AttemptObserver {
  const registers = [registry];
  const label = modelLabels();
  if (load) {
    const gauge = (name: string, help: string, read: () => number) =>
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read());
        },
      });
    gauge('chorus_jobs_running', 'Jobs that run now.', () => load().active);
    gauge('chorus_job_slots', 'Jobs that can run at once.', () => load().concurrency);
  }
  const buckets = DURATION_BUCKETS_S;
  const labelNames = ['kind'] as const;
  const wait = new Histogram({
    name: 'chorus_job_wait_seconds',
    help: 'Time from the request to the start of its first attempt.',
    labelNames,
    buckets,
    registers,
  });
  const duration = new Histogram({
    name: 'chorus_job_duration_seconds',
    help: 'Time from the start of an attempt to its stored end.',
    labelNames: ['kind', 'status'],
    buckets,
    registers,
  });
  const firstText = new Histogram({
    name: 'chorus_job_time_to_first_token_seconds',
    help: 'Time from the start of an attempt to its first text.',
    labelNames,
    buckets,
    registers,
  });
  const tokens = new Counter({
    name: 'chorus_tokens_total',
    help: 'Tokens read and written by models.',
    labelNames: ['model', 'direction'],
    registers,
  });
  const cost = new Counter({
    name: 'chorus_cost_usd_total',
    help: 'What ended jobs cost in US dollars, as far as prices are known.',
    labelNames: ['model'],
    registers,
  });
  return {
    began({ kind, waitedMs }) {
      wait.observe({ kind }, Math.max(0, waitedMs) / 1_000);
    },
    ended({ kind, status, durationMs, firstTextMs, model, usage }) {
      duration.observe({ kind, status }, durationMs / 1_000);
      if (firstTextMs !== null) firstText.observe({ kind }, firstTextMs / 1_000);
      if (model === null) return;
      const named = label(model);
      if (usage.total_tokens > 0) {
        tokens.inc({ model: named, direction: 'input' }, usage.input_tokens);
        tokens.inc({ model: named, direction: 'output' }, usage.output_tokens);
      }
      if (usage.cost_usd) cost.inc({ model: named }, usage.cost_usd);
    },
  };
}
