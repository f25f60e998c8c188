import { randomBytes, randomUUID } from 'node:crypto';
import { createAuditLog } from '@chorus/accounts';
import { personalScope } from '@chorus/contract';
import { connectDatabase } from '@chorus/database';
import { createOutbound } from '@chorus/outbound';
import { createLogger } from '@chorus/runtime/log';
import { sharedStore, startWebhookReceiver, TEST_SECRET_KEY, type TestDatabases } from '@chorus/testing';
import { Deliverer } from '@chorus/webhooks';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { noteProviderStops, type ObservedLane } from './provider-stops.ts';

const DAY_MS = 86_400_000;
const LANE = 'openai/gpt-5';
const SINCE = Date.parse('2026-01-02T03:04:05Z');
const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const log = createLogger({ name: 'test', level: 'silent' });

let store: TestDatabases;
beforeAll(async () => {
  store = await sharedStore();
});
afterAll(() => store?.stop());

const open: ObservedLane = { lane: LANE, reason: null, since: null, accepted: 3 };
const stopped: ObservedLane = { ...open, reason: 'key', since: SINCE, accepted: 0 };

/** Opens a store with an operator, and a receiver of the operator's webhooks. */
async function openStops() {
  const uri = store.uriOf(`stops_${randomUUID().replaceAll('-', '')}`);
  const database = await connectDatabase({ uri, secretKey: TEST_SECRET_KEY, log });
  const email = `${randomUUID()}@example.org`;
  const operator = await database.users.create({ email, password_hash: 'none', operator: true });
  const receiver = await startWebhookReceiver();
  let lanes: ObservedLane[] = [];
  const audit = createAuditLog(database.audit, { log, keepMs: DAY_MS });
  const parts = { database, audit, readLanes: async () => lanes, webhookUrl: receiver.url, keepMs: DAY_MS };
  const deliverer = new Deliverer({
    database,
    outbound: createOutbound({ allow: [{ address: '127.0.0.1', prefix: 32, family: 'ipv4' }] }),
    load: async ({ operator: event }) => event ?? null,
    operatorSecrets: [SECRET],
    log,
    keepMs: DAY_MS,
  });
  onTestFinished(async () => {
    await deliverer.close(0);
    await Promise.all([receiver.close(), database.close()]);
  });
  return {
    database,
    receiver,
    parts,
    note: async (...now: ObservedLane[]) => {
      lanes = now;
      const noted = await noteProviderStops(parts);
      deliverer.wake();
      return noted;
    },
    audited: async () => {
      const { data } = await audit.list(personalScope(operator.id), { limit: 20 });
      return data.map(({ action, target, actor }) => `${action} ${target?.id} by ${actor.type}`);
    },
  };
}

test('tells operators once that a lane is stopped, and once that it goes on', async () => {
  const { note, receiver, audited } = await openStops();
  expect(await note(open)).toEqual({ stopped: 0, resumed: 0 });
  expect(await note(stopped)).toEqual({ stopped: 1, resumed: 0 });
  expect(await note(stopped)).toEqual({ stopped: 0, resumed: 0 });
  const [webhook] = await receiver.count(1);
  if (!webhook) throw new Error('nothing came');
  expect(new Webhook(SECRET).verify(webhook.body, webhook.headers as Record<string, string>)).toEqual({
    type: 'provider.stopped',
    timestamp: new Date(SINCE).toISOString(),
    data: {
      object: 'provider_stop',
      provider: 'openai',
      model: 'gpt-5',
      lane: LANE,
      reason: 'key',
      since: new Date(SINCE).toISOString(),
      message: expect.stringContaining('openai refused the key'),
    },
  });
  expect(await note(open)).toEqual({ stopped: 0, resumed: 1 });
  expect(await note(open)).toEqual({ stopped: 0, resumed: 0 });
  const [, second] = await receiver.count(2);
  expect(JSON.parse(second?.body ?? '')).toMatchObject({
    type: 'provider.resumed',
    data: { lane: LANE, reason: 'key' },
  });
  expect(await audited()).toEqual([`provider.resumed ${LANE} by command`, `provider.stopped ${LANE} by command`]);
  // A later stop is another one.
  expect(await note({ ...stopped, since: SINCE + 60_000 })).toEqual({ stopped: 1, resumed: 0 });
  await receiver.count(3);
});

test('a process that dies in between neither loses nor repeats an event', async () => {
  const { database, parts, note, receiver } = await openStops();
  const dies = { ...parts, readLanes: async () => [stopped] };
  const providerStops = { ...database.providerStops, markNotified: () => Promise.reject(new Error('killed')) };
  await expect(noteProviderStops({ ...dies, database: { ...database, providerStops } })).rejects.toThrow('killed');
  expect(await note(stopped)).toEqual({ stopped: 1, resumed: 0 });
  await Promise.all([note(stopped), note(stopped), note(stopped)]);
  const failing = { ...database.providerStops, end: () => Promise.reject(new Error('killed')) };
  const resumes = { ...parts, readLanes: async () => [open], database: { ...database, providerStops: failing } };
  await expect(noteProviderStops(resumes)).rejects.toThrow('killed');
  await note(open);
  await receiver.count(2);
  const types = receiver.received.map(({ body }) => JSON.parse(body).type);
  expect(types).toEqual(['provider.stopped', 'provider.resumed']);
});

test('a lane goes on only once a call was accepted, and is forgotten if nothing uses it', async () => {
  const { note, database } = await openStops();
  await note({ ...stopped, reason: 'credit' });
  expect(await note({ ...open, reason: 'away' })).toEqual({ stopped: 0, resumed: 0 });
  expect(await note({ ...open, accepted: 0 })).toEqual({ stopped: 0, resumed: 0 });
  expect(await database.providerStops.list()).toMatchObject([{ lane: LANE, reason: 'credit', notified: true }]);
  expect(await note()).toEqual({ stopped: 0, resumed: 0 });
  expect(await database.providerStops.list()).toEqual([]);
});
