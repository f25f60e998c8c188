import { newId, type Owner } from '@chorus/contract';
import { createLogger } from '@chorus/runtime/log';
import { startWebhookReceiver } from '@chorus/testing';
import { createLoadSubject, Deliverer } from '@chorus/webhooks';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';
import { publishChatModels } from '../test-chat.ts';
import { freshPerson, freshWorkspace, type Person, recordMakers } from '../test-people.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi({ DEFAULT_MODEL: 'embedded/assistant', OUTBOUND_ALLOW: '127.0.0.1' });
  await publishChatModels(api, ['embedded/assistant']);
});
afterAll(() => api.stop());

const chat = (body: object) =>
  api.call('POST', '/chat/completions', {
    body: { messages: [{ role: 'user', content: 'Hi' }], ...body },
    headers: { prefer: 'respond-async' },
  });

async function receive() {
  const { database, outbound, addresses } = api.services;
  const receiver = await startWebhookReceiver();
  const log = createLogger({ name: 'test', level: 'silent' });
  const load = createLoadSubject(database, addresses);
  const deliverer = new Deliverer({ database, outbound, load, log, keepMs: 60_000 });
  onTestFinished(async () => {
    await deliverer.close(0);
    await receiver.close();
  });
  return receiver;
}

test.each([
  ['ftp://hooks.test/', 'invalid_request'],
  ['hooks.test', 'invalid_request'],
  [`https://hooks.test/${'x'.repeat(2_000)}`, 'invalid_request'],
  ['http://10.0.0.1/', 'url_not_allowed'],
  ['https://me:secret@hooks.test/', 'url_not_allowed'],
  ['https://hooks.test:22/', 'url_not_allowed'],
])('refuses an invalid webhook_url at once: %s', async (webhook_url, code) => {
  const { status, body } = await chat({ webhook_url });
  expect([status, body.error.code, body.error.details[0].path]).toEqual([400, code, 'body.webhook_url']);
  expect(JSON.stringify(body)).not.toContain('secret');
});

test('sends a webhook to the requester; its delivery can be read and repeated', async () => {
  const { url, count } = await receive();
  const { body: execution } = await chat({ webhook_url: url, metadata: { order: '7' } });
  await api.call('POST', `/jobs/${execution.id}/cancel`);
  const [webhook] = await count(1);
  if (!webhook) throw new Error('nothing came');
  const { body: secret } = await api.call('GET', '/webhook-secret');
  const payload = new Webhook(secret.secret).verify(webhook.body, webhook.headers as Record<string, string>);
  const { body: now } = await api.call('GET', `/jobs/${execution.id}`);
  // A webhook has no request to derive the API's address from, so without PUBLIC_URL it is the configured one.
  const { host, port } = api.services.config.http;
  const urls = JSON.parse(JSON.stringify(now.urls).replaceAll(api.url, `http://${host}:${port}`));
  expect(payload).toEqual({ type: 'execution.cancelled', timestamp: now.finished_at, data: { ...now, urls } });

  const listed = await api.call('GET', `/webhook-deliveries?execution_id=${execution.id}`);
  expect(listed.body.data).toEqual([
    expect.objectContaining({ id: webhook.id, url, event: 'execution.cancelled', execution_id: execution.id }),
  ]);
  const again = await api.call('POST', `/webhook-deliveries/${webhook.id}/redeliver`);
  expect(again.body).toMatchObject({ id: webhook.id, status: 'pending' });
  const [, second] = await count(2);
  expect(second).toMatchObject({ id: webhook.id, body: webhook.body });
  const found = await api.call('GET', `/webhook-deliveries/${webhook.id}`);
  expect(found.body.attempt_count).toBeGreaterThan(0);
});

test('a retry uses the webhook of the original, or the one in its request', async () => {
  const { url, count } = await receive();
  const { body: first } = await chat({ webhook_url: `${url}/old` });
  await api.call('POST', `/jobs/${first.id}/cancel`);
  for (const body of [{}, { webhook_url: `${url}/new` }]) {
    const retried = await api.call('POST', `/jobs/${first.id}/retry`, { body, headers: { prefer: 'respond-async' } });
    await api.call('POST', `/jobs/${retried.body.id}/cancel`);
  }
  await count(3);
  const { body } = await api.call('GET', '/webhook-deliveries?limit=3');
  expect(body.data.map((delivery: { url: string }) => delivery.url)).toEqual([
    `${url}/new`,
    `${url}/old`,
    `${url}/old`,
  ]);
});

test('rotates the secret, keeps the old one valid for a day, and adds an audit entry', async () => {
  const { body: before } = await api.call('GET', '/webhook-secret');
  const { body: after } = await api.call('POST', '/webhook-secret/rotate');
  expect(after.secret).not.toBe(before.secret);
  expect(Date.parse(after.previous_valid_until)).toBeGreaterThan(Date.now() + 86_000_000);
  expect((await api.call('GET', '/webhook-secret')).body).toEqual(after);
  const { body: audit } = await api.call('GET', '/audit?action=webhook_secret.rotated');
  expect(audit.data).toHaveLength(1);
  expect(JSON.stringify(audit)).not.toContain('whsec_');
});

test("shows only the host of another member's URL, except to admins", async () => {
  const [founder, editor, viewer] = (await Promise.all([1, 2, 3].map(() => freshPerson(api)))) as [
    Person,
    Person,
    Person,
  ];
  const workspace_id = await freshWorkspace(api, founder, [
    [editor, 'editor'],
    [viewer, 'viewer'],
  ]);
  const owner: Owner = { scope: 'workspace', user_id: editor.id, workspace_id };
  const id = await recordMakers(api).delivery(owner);
  const seenBy = async ({ token }: Person) => {
    const headers = { authorization: `Bearer ${token}`, 'x-scope-type': 'workspace', 'x-workspace-id': workspace_id };
    return (await api.call('GET', `/webhook-deliveries/${id}`, { headers })).body.url;
  };
  expect(await Promise.all([founder, editor, viewer].map(seenBy))).toEqual([
    'https://hooks.test/?token=x',
    'https://hooks.test/?token=x',
    'https://hooks.test/…',
  ]);
});

test('refuses filters that are not ids', async () => {
  for (const query of ['execution_id=x', `execution_id=${newId('batch')}`, 'status=lost', 'batch_id=1'])
    expect((await api.call('GET', `/webhook-deliveries?${query}`)).status, query).toBe(400);
});
