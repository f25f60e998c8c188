import { sampleLoopWithoutTimer } from '@chorus/runtime/timing';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { AttemptObserver } from './attempt-job.ts';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** Whether the metrics of this process are reported: once, however many pools it runs. */
let isProcessMeasured = false;

export function createWorkerMetrics(): { registry: Registry; observer: AttemptObserver } {
  const registry = new Registry();
  if (!isProcessMeasured)
    sampleLoopWithoutTimer(() => collectDefaultMetrics({ register: registry, prefix: 'chorus_worker_' }));
  isProcessMeasured = true;
  const registers = [registry];
  const duration = new Histogram({
    name: 'chorus_job_duration_seconds',
    help: 'Time from the start of an attempt to its stored end',
    labelNames: ['kind', 'status'],
    buckets: SECONDS,
    registers,
  });
  const firstText = new Histogram({
    name: 'chorus_job_time_to_first_token_seconds',
    help: 'Time from the start of an attempt to its first text',
    labelNames: ['kind'],
    buckets: SECONDS,
    registers,
  });
  const tokens = new Counter({
    name: 'chorus_tokens_total',
    help: 'Tokens read and written by models',
    labelNames: ['model', 'direction'],
    registers,
  });
  return {
    registry,
    observer: {
      ended({ kind, status, durationMs, firstTextMs, model, usage }) {
        duration.observe({ kind, status }, durationMs / 1_000);
        if (firstTextMs !== null) firstText.observe({ kind }, firstTextMs / 1_000);
        if (model !== null && usage.total_tokens > 0) {
          tokens.inc({ model, direction: 'input' }, usage.input_tokens);
          tokens.inc({ model, direction: 'output' }, usage.output_tokens);
        }
      },
    },
  };
}
