import { Feeder, listenForBatches } from '@chorus/batches';
import { type BatchBody, ChorusError } from '@chorus/contract';
import { connectRedis } from '@chorus/events';
import { NO_USAGE } from '@chorus/providers/usage';
import { createLogger } from '@chorus/runtime/log';
import { startPool } from '@chorus/worker-kit';
import type { TestApi } from './test-api.ts';

const silent = createLogger({ name: 'test', level: 'silent' });

/**
 * Starts a feeder and an image worker that answers with the prompt. Prompts that begin with "fail" fail, and
 * those that begin with "hold" wait until released or cancelled.
 */
export async function startBatchWorkers(api: TestApi) {
  const { database, dispatcher, eventLog, hub } = api.services;
  const config = { url: api.redis.url, cluster: false };
  const redis = connectRedis(config, 'worker');
  redis.on('error', () => undefined);
  const all = Promise.withResolvers<void>();
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const gateOf = (prompt: string) => {
    const gate = gates.get(prompt) ?? Promise.withResolvers<void>();
    gates.set(prompt, gate);
    return gate;
  };
  const feeder = new Feeder({
    database,
    dispatcher,
    redis,
    planner: async (kind, request) => {
      const { prompt = '' } = request as BatchBody<'iris.image'>;
      const shape = { n: 1, size: null, seed: null, negative_prompt: null, reference_asset_ids: [] };
      return { kind, model: 'test/image', input: { model: 'test/image', prompts: [prompt], ...shape } };
    },
    limits: { maxDepth: 1_000, window: 100 },
    publishToFeed: eventLog.publishToFeed,
    onEnd: async () => undefined,
    log: silent,
  });
  const stopListening = await listenForBatches(hub, feeder);
  const pool = await startPool({
    pool: 'media',
    handlers: {
      'iris.image': {
        run: async ({ input, signal }) => {
          const [prompt = ''] = input.prompts;
          if (prompt.startsWith('fail')) throw new ChorusError('provider_error', 'It fails.');
          if (prompt.startsWith('hold')) await Promise.race([all.promise, gateOf(prompt).promise, aborted(signal)]);
          // Text instead of an image.
          const output = [{ type: 'text', text: `drawn: ${prompt}` }] as never[];
          return { output, usage: NO_USAGE, model: input.model, provider: 'test', finish_reason: 'stop' };
        },
      },
    },
    redis: config,
    store: database,
    eventLog,
    concurrency: 20,
    log: silent,
    health: () => ({ models: [], providers: [], default_model: null }),
  });
  return {
    letGo: (prompt?: string) => (prompt === undefined ? all : gateOf(prompt)).resolve(),
    stop: async () => {
      all.resolve();
      stopListening();
      await feeder.close();
      await pool.close(0);
      redis.disconnect();
    },
  };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}
