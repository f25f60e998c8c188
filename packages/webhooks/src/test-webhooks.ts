import { newId, type Owner } from '@chorus/contract';
import { connectDatabase, type Database, type ExecutionRecord } from '@chorus/database';
import { AssetUrls, cancelledOutcome, newExecution } from '@chorus/executions';
import { createOutbound } from '@chorus/outbound';
import { createLogger } from '@chorus/runtime/log';
import { TEST_SECRET_KEY, type TestDatabases } from '@chorus/testing';
import { onTestFinished } from 'vitest';
import { Deliverer, type DelivererParts } from './deliverer.ts';
import { createLoadSubject } from './load-subject.ts';

export const DAY_MS = 86_400_000;

const log = createLogger({ name: 'test', level: 'silent' });
let databases = 0;

/** Opens a store and a deliverer that retries at once. */
export async function openWebhooks(store: TestDatabases, more: Partial<DelivererParts> = {}) {
  databases += 1;
  const database = await connectDatabase({
    uri: store.uriOf(`webhooks_${databases}`),
    secretKey: TEST_SECRET_KEY,
    log,
  });
  const assetUrls = new AssetUrls({ secret: 'x', baseUrl: 'https://chorus.test', ttlS: 60 });
  const deliverers: Deliverer[] = [];
  const start = () => {
    const deliverer = new Deliverer({
      database,
      outbound: createOutbound({ allow: [{ address: '127.0.0.1', prefix: 32, family: 'ipv4' }] }),
      load: createLoadSubject(database, { baseUrl: 'https://chorus.test', assetUrls }),
      log,
      keepMs: DAY_MS,
      nextAttempt: ({ now }) => now,
      ...more,
    });
    deliverers.push(deliverer);
    return deliverer;
  };
  onTestFinished(async () => {
    await Promise.all(deliverers.map((deliverer) => deliverer.close(0)));
    await database.close();
  });
  return { database, start };
}

export const personal = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });

/** Stores an execution that ended with a webhook to deliver. */
export async function ended(
  database: Database,
  url: string,
  { as = 'cancelled', ...fields }: Partial<ExecutionRecord> & { as?: 'failed' | 'cancelled' } = {},
) {
  const owner = fields.owner ?? personal();
  const record: ExecutionRecord = {
    ...newExecution({
      id: newId('job'),
      owner,
      kind: 'iris.image',
      model: 'embedded/canvas',
      input: { secret: 'input' },
    }),
    webhook_url: url,
    metadata: { order: '7' },
    ...fields,
  };
  await database.executions.insert(record);
  const outcome = { ...cancelledOutcome({ output: record.output }), status: as };
  await database.executions.finish(owner, record.id, null, outcome);
  return { id: record.id, owner, delivery: record.id.replace('job_', 'whd_') };
}

/** Waits until a delivery has a status. */
export async function deliveryWith(database: Database, owner: Owner, id: string, status: string) {
  for (;;) {
    const found = await database.webhookDeliveries.get(owner, id);
    if (found?.status === status) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
