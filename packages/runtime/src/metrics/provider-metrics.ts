import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export const DURATION_BUCKETS_S = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** Maximum number of models in a process's metrics. Users can name any model, so further ones count as `other`. */
const MAX_MODELS = 100;

/** Returns the label of a model, from a bounded set. */
export function modelLabels(max = MAX_MODELS): (model: string) => string {
  const seen = new Set<string>();
  return (model) => {
    if (seen.size < max) seen.add(model);
    return seen.has(model) ? model : 'other';
  };
}

interface BegunCall {
  provider: string;
  operation: string;
  /** Without the provider's name. */
  model: string;
}

interface EndedCall {
  outcome: string;
  lane?: 'accepted' | 'refused' | 'failed';
}

/** Measures calls to providers, as an observer for `openProviders`. */
export function createProviderMetrics(registry: Registry) {
  const registers = [registry];
  const label = modelLabels();
  const duration = new Histogram({
    name: 'chorus_provider_request_duration_seconds',
    help: 'Requests to providers, until the end of the answer. Outcome: ok, cancelled, or the code of the error. A retry is another request.',
    labelNames: ['provider', 'operation', 'outcome'],
    buckets: DURATION_BUCKETS_S,
    registers,
  });
  const fallbacks = new Counter({
    name: 'chorus_provider_fallbacks_total',
    help: 'Answers that another model took over after a failure.',
    labelNames: ['from', 'to'],
    registers,
  });
  const breaker = new Gauge({
    name: 'chorus_provider_breaker_open',
    help: '1 while this process does not call a provider, since its calls keep failing.',
    labelNames: ['provider'],
    registers,
  });
  const laneCounter = (name: string, help: string) => new Counter({ name, help, labelNames: ['lane'], registers });
  const lanes = {
    accepted: laneCounter('chorus_lane_accepted_total', 'Calls to a model that the provider accepted.'),
    refused: laneCounter('chorus_lane_refused_total', 'Calls to a model that the provider refused with "slow down".'),
    failed: laneCounter('chorus_lane_failed_total', 'Calls to a model that the provider did not answer.'),
  };
  return {
    begin({ provider, operation, model }: BegunCall): (end: EndedCall) => void {
      const startedAt = performance.now();
      return ({ outcome, lane }) => {
        duration.observe({ provider, operation, outcome }, (performance.now() - startedAt) / 1_000);
        if (lane) lanes[lane].inc({ lane: label(`${provider}/${model}`) });
      };
    },
    fellBack({ from, to }: { from: string; to: string }): void {
      fallbacks.inc({ from: label(from), to: label(to) });
    },
    breakerIs(provider: string, open: boolean): void {
      breaker.set({ provider }, open ? 1 : 0);
    },
  };
}

export type ProviderMetrics = ReturnType<typeof createProviderMetrics>;
