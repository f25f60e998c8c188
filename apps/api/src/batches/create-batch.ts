import { type EconomyModels, stageBatch } from '@chorus/batches';
import { type Batch, ChorusError, KINDS, type Owner } from '@chorus/contract';
import type { BatchRecord } from '@chorus/database';
import { BATCHES_CHANNEL } from '@chorus/events';
import { webhookOf } from '../executes.ts';
import { fingerprintOf, readIdempotencyKey, runOnce } from '../http/idempotency.ts';
import type { ScopedContext } from '../http/request-context.ts';
import { unknownRecord } from '../http/unknown-record.ts';
import { presentOneBatch } from '../present.ts';
import type { Services } from '../services.ts';
import { readUpload } from './read-upload.ts';

/** Creates a batch. A repeated `Idempotency-Key` gets the earlier batch, and this upload is discarded. */
export async function createBatch(context: ScopedContext): Promise<Batch> {
  const { services, owner, request, requestId } = context;
  const { database, config, eventLog } = services;
  const key = readIdempotencyKey(request);
  const { upload, staged } = await receive(context);
  const show = async (): Promise<Batch> => {
    const batch = await staged.commit();
    eventLog.wake(BATCHES_CHANNEL);
    eventLog.publishToFeed(owner, {
      type: 'batch.created',
      batch_id: batch.id,
      status: batch.status,
      counts: batch.counts,
    });
    return presentOneBatch(context, batch);
  };
  if (key === null) return show();
  const find = (id: string): Promise<BatchRecord | null> => database.batches.get(owner, id);
  const { method, originalUrl: url } = request;
  const answer = await runOnce({
    database,
    owner,
    key,
    fingerprint: fingerprintOf({ method, url }, upload.digest()),
    run: show,
    begins: { id: staged.id, hasBegun: async (id) => (await find(id)) !== null },
    join: async (id) => {
      const batch = await find(id);
      if (batch === null) throw unknownRecord('batch');
      return presentOneBatch(context, batch);
    },
  }).catch(async (error) => {
    await staged.discard(); // does nothing if the batch was committed
    throw error;
  });
  if (answer.id !== staged.id) await staged.discard();
  return answer;

  async function receive({ services: { outbound }, agent, credential }: ScopedContext) {
    const { batchBytes: jsonBytes, batchUploadBytes: linesBytes } = config.limits;
    await checkUnfinished(services, owner);
    const limits = { jsonBytes, linesBytes, idleMs: config.assets.uploadIdleMs };
    const upload = await readUpload(request, context.response, limits);
    const agentId = agent?.id ?? null;
    const apiKeyId = credential.key?.id ?? null;
    const check = (head: { webhook_url?: string | undefined }) => void webhookOf({ outbound }, head);
    const economyModels = economyModelsOf(services);
    const asked = { owner, agentId, apiKeyId, requestId, upload, check, economyModels };
    return { upload, staged: await stageBatch(database, asked) };
  }
}

function economyModelsOf({ registry, config }: Pick<Services, 'registry' | 'config'>): EconomyModels {
  return {
    hasBatches: registry.hasBatches,
    async defaultModel(kind) {
      if (KINDS[kind].capability !== 'chat') return null;
      const workers = await registry.recentWorkers();
      return config.chat.defaultModel ?? workers.find((one) => one.default_model !== null)?.default_model ?? null;
    },
  };
}

/** @throws {ChorusError} limit_reached */
export async function checkUnfinished({ database, config }: Services, owner: Owner): Promise<void> {
  const most = config.perUser.batches;
  if ((await database.batches.countUnfinished(owner.user_id, most)) < most) return;
  throw new ChorusError(
    'limit_reached',
    `You have ${most} unfinished batches, the most a user may have (BATCHES_PER_USER). Wait for some to end, or cancel some.`,
    { retryAfterS: 30 },
  );
}
