import { newId } from '@chorus/contract';
import { newExecution } from '@chorus/executions';
import { type ReceivedWebhook, sharedStore, startWebhookReceiver, type TestDatabases } from '@chorus/testing';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { noteDelivery } from './note-deliveries.ts';
import { DAY_MS, deliveryWith, ended, openWebhooks, personal } from './test-webhooks.ts';
import { getSecret, rotateSecret } from './webhook-secrets.ts';

let store: TestDatabases;

beforeAll(async () => {
  store = await sharedStore();
});
afterAll(() => store?.stop());

const receiver = async (...args: Parameters<typeof startWebhookReceiver>) => {
  const started = await startWebhookReceiver(...args);
  onTestFinished(() => started.close());
  return started;
};

const headersOf = ({ headers }: ReceivedWebhook) => headers as Record<string, string>;

test('delivers an ended execution as the API shows it, signed with the secret of its scope', async () => {
  const { database, start } = await openWebhooks(store);
  const { url, count } = await receiver();
  const asset = { ...imageFacts(), id: newId('asset') };
  const { id, owner, delivery } = await ended(database, `${url}?token=a`, { output: [{ type: 'asset', asset }] });
  start();
  const [webhook] = await count(1);
  if (!webhook) throw new Error('nothing came');
  const { secret } = await getSecret(database, owner);
  expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
  const payload = new Webhook(secret).verify(webhook.body, headersOf(webhook));
  const record = await database.executions.get(owner, id);
  expect(payload).toMatchObject({
    type: 'execution.cancelled',
    timestamp: record?.finished_at?.toISOString(),
    data: { id, object: 'execution', status: 'cancelled', metadata: { order: '7' } },
  });
  const { output, urls } = (payload as { data: { output: { asset: { url: string } }[]; urls: { self: string } } }).data;
  expect(output[0]?.asset.url).toMatch(/^https:\/\/chorus\.test\/api\/v1\/assets\/.*signature=/);
  expect(urls.self).toBe(`https://chorus.test/api/v1/jobs/${id}`);
  expect(webhook.id).toBe(delivery);
  expect(webhook.body).not.toContain('secret');
  expect(() => new Webhook(secret).verify(`${webhook.body} `, headersOf(webhook))).toThrow();

  const delivered = await deliveryWith(database, owner, delivery, 'delivered');
  expect(delivered).toMatchObject({ attempt_count: 1, next_attempt_at: null, execution_id: id });
  expect(delivered.attempts).toEqual([
    { started_at: expect.any(Date), duration_ms: expect.any(Number), status: 200, error: null },
  ]);
  expect(await database.executions.listWebhooksDue(10)).toEqual([]);
});

test('delivers an event each time an execution waits for decisions', async () => {
  const { database, start } = await openWebhooks(store);
  const { url, count } = await receiver();
  const owner = personal();
  const input = { kind: 'chat.completion', model: null, input: {}, webhook_url: url } as const;
  const record = newExecution({ id: newId('job'), owner, ...input });
  await database.executions.insert(record);
  const undecided = { decision: null, reason: null, user_id: null, decided_at: null };
  const suspend = (attempt: number, id: string) =>
    database.executions.suspend(owner, record.id, attempt, {
      ...{ output: [], usage: record.usage, model: null, provider: null, started_at: new Date() },
      approvals: [{ tool_call_id: id, name: 'mail', ...undecided }],
      approvals_expire_at: new Date(Date.now() + DAY_MS),
    });
  await suspend(1, 'a');
  start();
  const [first] = await count(1);
  expect(JSON.parse(first?.body ?? '')).toMatchObject({
    type: 'execution.requires_action',
    data: { id: record.id, required_action: { tool_calls: [{ tool_call_id: 'a' }] } },
  });
  await database.executions.decide(owner, record.id, {
    ...{ tool_call_id: 'a', decision: 'approve', reason: null, user_id: owner.user_id },
  });
  await database.executions.resume(owner, record.id);
  await database.executions.claim(owner, record.id, 2, new Date());
  await suspend(2, 'b');
  start();
  const [, second] = await count(2);
  expect(JSON.parse(second?.body ?? '').data.required_action.tool_calls).toMatchObject([{ tool_call_id: 'b' }]);
  expect(second?.id).not.toBe(first?.id);
});

test('retries failures under the same id until success, and stores each attempt', async () => {
  const { database, start } = await openWebhooks(store);
  const answers = [500, 302, null, 429, 204];
  const { url, count } = await receiver(({ number }, response) => {
    const status = answers[number - 1];
    if (status == null) response.destroy();
    else response.writeHead(status, status === 302 ? { location: 'http://127.0.0.1:1/' } : {}).end('inside');
  });
  const { owner, delivery } = await ended(database, url, { as: 'failed' });
  start();
  const webhooks = await count(answers.length);
  const delivered = await deliveryWith(database, owner, delivery, 'delivered');
  expect(webhooks.map(({ id }) => id)).toEqual(answers.map(() => delivery));
  const { secret } = await getSecret(database, owner);
  for (const webhook of webhooks) new Webhook(secret).verify(webhook.body, headersOf(webhook));
  expect(delivered.attempts.map(({ status }) => status)).toEqual(answers);
  expect(delivered.attempts.map(({ error }) => error)).toEqual([
    'The receiver answers with status 500.',
    'The receiver answers with status 302.',
    'The connection broke before the answer was complete.',
    'The receiver answers with status 429.',
    null,
  ]);
});

test('gives up after the schedule, on 410, and if the subject was deleted', async () => {
  const { database, start } = await openWebhooks(store, { nextAttempt: () => null });
  const failing = await receiver((_webhook, response) => response.writeHead(500).end());
  const gone = await receiver((_webhook, response) => response.writeHead(410).end());
  const [one, two, three] = [
    await ended(database, failing.url),
    await ended(database, gone.url),
    await ended(database, gone.url),
  ];
  const url = 'http://127.0.0.2:8080/';
  const four = await ended(database, url);
  const lost = { ...three, delivery: newId('webhookDelivery') };
  const subject = { execution_id: lost.delivery.replace('whd_', 'job_') };
  await noteDelivery(database, { owner: lost.owner, event: 'execution.failed', url, subject }, DAY_MS);
  start();
  const errors = await Promise.all(
    [one, two, four, lost].map(async ({ owner, delivery }) => {
      const { attempts, ended_at } = await deliveryWith(database, owner, delivery, 'failed');
      expect(ended_at).toEqual(expect.any(Date));
      return attempts.map(({ error }) => error);
    }),
  );
  expect(errors).toEqual([
    ['The receiver answers with status 500.'],
    ['The receiver answers with status 410.'],
    ['The URL must name a host with a public address.'],
    ['The execution or batch no longer exists.'],
  ]);
});

test('a receiver that hangs does not delay others, and gets few concurrent attempts', async () => {
  const { database, start } = await openWebhooks(store);
  const hanging = await receiver(() => {});
  const well = await receiver();
  await Promise.all(Array.from({ length: 20 }, () => ended(database, hanging.url)));
  start();
  await hanging.count(4);
  const others = await Promise.all(Array.from({ length: 8 }, () => ended(database, well.url)));
  await well.count(8);
  expect(new Set(well.received.map(({ id }) => id))).toEqual(new Set(others.map(({ delivery }) => delivery)));
  expect([hanging.received.length, hanging.mostAtOnce]).toEqual([4, 4]);
});

test('a scope with many hanging receivers uses only its share of attempts', async () => {
  const { database, start } = await openWebhooks(store);
  const owner = personal();
  const hanging = await Promise.all(Array.from({ length: 6 }, () => receiver(() => {})));
  for (const { url } of hanging) await Promise.all(Array.from({ length: 4 }, () => ended(database, url, { owner })));
  const deliverer = start();
  await Promise.all([hanging[0]?.count(1), hanging[1]?.count(1)]);
  const well = await receiver();
  await ended(database, well.url);
  deliverer.wake();
  await well.count(1);
  const open_ = hanging.reduce((sum, { received }) => sum + received.length, 0);
  expect(open_).toBeLessThanOrEqual(16);
});

test('several processes deliver each event once', async () => {
  const { database, start } = await openWebhooks(store);
  const { url, count, received } = await receiver();
  const made = await Promise.all(Array.from({ length: 25 }, () => ended(database, url)));
  for (const deliverer of [start(), start(), start()]) deliverer.wake();
  await count(25);
  await Promise.all(made.map(({ owner, delivery }) => deliveryWith(database, owner, delivery, 'delivered')));
  expect(received.map(({ id }) => id).sort()).toEqual(made.map(({ delivery }) => delivery).sort());
});

test('a stopped process releases its claims for the next one', async () => {
  const { database, start } = await openWebhooks(store);
  let stopping = true;
  const { url, count } = await receiver((_webhook, response) => {
    if (!stopping) response.end();
  });
  const { owner, delivery } = await ended(database, url);
  const first = start();
  await count(1);
  await first.close(0);
  stopping = false;
  expect(await database.webhookDeliveries.get(owner, delivery)).toMatchObject({ status: 'pending', attempt_count: 0 });
  start();
  await count(2);
  await deliveryWith(database, owner, delivery, 'delivered');
});

test('a claim of a dead process is delivered after it expires', async () => {
  const { database, start } = await openWebhooks(store);
  const { url, count, received } = await receiver();
  const { owner, id, delivery } = await ended(database, url);
  const event = 'execution.cancelled';
  await noteDelivery(database, { owner, event, url, subject: { execution_id: id } }, DAY_MS);
  const noted = await database.webhookDeliveries.get(owner, delivery);
  if (!noted) throw new Error('not noted');
  const until = new Date(Date.now() + 500);
  expect(await database.webhookDeliveries.claim(noted, until)).toBe(true);
  start();
  await count(1);
  expect(Date.now()).toBeGreaterThanOrEqual(until.getTime());
  await deliveryWith(database, owner, delivery, 'delivered');
  expect(received).toHaveLength(1);
});

test('after a rotation both secrets sign', async () => {
  const { database, start } = await openWebhooks(store);
  const { url, count } = await receiver();
  const owner = personal();
  const before = await getSecret(database, owner);
  expect(before.previous_valid_until).toBeNull();
  const deeds: unknown[] = [];
  const audit = { record: async (_actor: unknown, ...facts: unknown[]) => void deeds.push(...facts) };
  const actor = { user_id: owner.user_id, key_id: null, address: null, request_id: null };
  const after = await rotateSecret(database, audit, actor, owner);
  expect(after.secret).not.toBe(before.secret);
  const leftMs = Date.parse(after.previous_valid_until ?? '') - Date.now();
  expect(Math.round(leftMs / 60_000)).toBe(24 * 60);
  expect(deeds).toEqual([{ scope_key: `personal:${owner.user_id}`, action: 'webhook_secret.rotated', target: null }]);
  expect(JSON.stringify(deeds)).not.toContain('whsec');
  await ended(database, url, { owner });
  start();
  const [webhook] = await count(1);
  if (!webhook) throw new Error('nothing came');
  for (const { secret } of [before, after]) new Webhook(secret).verify(webhook.body, headersOf(webhook));
  const { secret } = await getSecret(database, personal());
  expect(() => new Webhook(secret).verify(webhook.body, headersOf(webhook))).toThrow();
});

test('leaves a large output out of the payload', async () => {
  const { database, start } = await openWebhooks(store);
  const { url, count } = await receiver();
  const output = [{ type: 'text', text: 'é'.repeat(200_000) }] as const;
  const chat = { kind: 'chat.completion', surface: 'chat' } as const;
  await ended(database, url, { ...chat, output: [...output] });
  start();
  const [webhook] = await count(1);
  expect(webhook?.body.length).toBeLessThan(3_000);
  const { data } = JSON.parse(webhook?.body ?? '{}');
  expect(data).toMatchObject({ object: 'chat.completion', output: [], output_omitted: true });
  expect(data.choices).toBeUndefined();
});

function imageFacts() {
  return {
    kind: 'image',
    mime_type: 'image/png',
    size_bytes: 9,
    sha256: '0'.repeat(64),
    filename: null,
    width: 64,
    height: 64,
    duration_ms: null,
    execution_id: null,
    created_at: new Date().toISOString(),
  } as const;
}
