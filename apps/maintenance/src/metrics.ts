import { DURATION_BUCKETS_S } from '@chorus/runtime/metrics';
import { Counter, Histogram, type Registry } from 'prom-client';

/** Measures webhooks and batches. */
export function measureUpkeep(registry: Registry) {
  const registers = [registry];
  const webhooks = new Histogram({
    name: 'chorus_webhook_attempt_duration_seconds',
    help: 'Attempts to deliver webhooks. Outcome: delivered, pending (tried again later), or failed.',
    labelNames: ['event', 'outcome'],
    buckets: DURATION_BUCKETS_S,
    registers,
  });
  const items = new Counter({
    name: 'chorus_batch_items_total',
    help: 'Ended items of batches.',
    labelNames: ['status'],
    registers,
  });
  const batches = new Counter({
    name: 'chorus_batches_total',
    help: 'Ended batches.',
    labelNames: ['status'],
    registers,
  });
  return {
    webhookTried: (event: string, outcome: string, ms: number) => webhooks.observe({ event, outcome }, ms / 1_000),
    itemEnded: (status: string) => items.inc({ status }),
    batchEnded: (status: string) => batches.inc({ status }),
  };
}
