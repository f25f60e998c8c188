import { newId } from '@chorus/contract';
import { sharedStore, startWebhookReceiver, type TestDatabases } from '@chorus/testing';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { noteDelivery } from './note-deliveries.ts';
import { DAY_MS, openWebhooks, personal } from './test-webhooks.ts';
import { getSecret } from './webhook-secrets.ts';

let store: TestDatabases;
beforeAll(async () => {
  store = await sharedStore();
});
afterAll(() => store?.stop());

test('each end of a batch is delivered once, and again after a retry', async () => {
  const { database, start } = await openWebhooks(store);
  const { url, count, close } = await startWebhookReceiver();
  onTestFinished(() => close());
  const owner = personal();
  const id = newId('batch');
  const none = { metadata: {}, webhook_url: url, agent_id: null, api_key_id: null, request_id: null };
  await database.batches.begin({ id, owner, kind: 'iris.image', defaults: {}, ...none });
  await database.batches.commit(owner, id, { total: 1, ordered: false });
  const note = (round: number) =>
    noteDelivery(database, { owner, event: 'batch.completed', url, subject: { batch_id: id, round } }, DAY_MS);
  for (const round of [0, 0, 1, 0, 1]) await note(round);
  start();
  const received = await count(2);
  expect(new Set(received.map((webhook) => webhook.id)).size).toBe(2);
  const { secret } = await getSecret(database, owner);
  for (const { body, headers } of received) {
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
      type: 'batch.completed',
      data: { id, object: 'batch', counts: { total: 1 } },
    });
  }
  const page = await database.webhookDeliveries.list(owner, { limit: 9, batch_id: id });
  expect(page.data).toHaveLength(2);
});
