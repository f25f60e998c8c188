export { ProcessMetrics } from './process-metrics.ts';
export { createProviderMetrics, DURATION_BUCKETS_S, modelLabels, type ProviderMetrics } from './provider-metrics.ts';
