import { freePort, startWebhookReceiver } from '@chorus/testing';
import { Webhook } from 'standardwebhooks';
import { beforeAll, expect, it } from 'vitest';
import type { Platform } from '../platform.ts';
import { poll } from '../poll.ts';

const EXECUTIONS = 8;

export function webhooksJourneys(getPlatform: () => Platform): void {
  let platform: Platform;

  beforeAll(() => {
    platform = getPlatform();
  });

  it('delivers every result although processes die and the receiver is down at first', {
    timeout: 120_000,
  }, async () => {
    const { client, maintenance } = platform;
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/hook`;

    await Promise.all(maintenance.map((worker) => worker.end('SIGKILL')));
    const messages = [{ role: 'user', content: 'Go.' }];
    const begin = (model: string) => client.start({ model: `compatible/${model}`, messages, webhook_url: url });
    const begun = await Promise.all(
      Array.from({ length: EXECUTIONS }, (_, index) => begin(index === 0 ? 'fail-400' : 'words-20-delay-20')),
    );
    const ended = await Promise.all(begun.map(({ id }) => client.waitForJob(id)));
    expect((await client.get('/webhook-deliveries')).body.data).toEqual([]);

    const second = await platform.startMaintenance();
    await poll('each was tried once and failed', async () => {
      const { data } = (await client.get('/webhook-deliveries?status=pending')).body;
      return data.length === EXECUTIONS && data.every((one: { attempt_count: number }) => one.attempt_count > 0);
    });
    await second.end('SIGKILL');

    const receiver = await startWebhookReceiver(undefined, port);
    await platform.startMaintenance();
    await receiver.count(EXECUTIONS);
    await poll('all are delivered', async () => {
      const { data } = (await client.get('/webhook-deliveries?status=delivered')).body;
      return data.length === EXECUTIONS;
    });
    await receiver.close();

    const { secret } = (await client.get('/webhook-secret')).body;
    const payloads = receiver.received.map(({ body, headers, id }) => {
      const payload = new Webhook(secret).verify(body, headers as Record<string, string>);
      const { data } = payload as { data: { id: string } };
      expect(id).toBe(data.id.replace('job_', 'whd_'));
      return payload as { type: string; data: { id: string } };
    });
    const delivered = new Map(payloads.map(({ type, data }) => [data.id, { type, data }]));
    expect(delivered.size).toBe(EXECUTIONS);
    // Webhooks use the configured URL, responses the origin of their request.
    const withoutOrigin = (value: unknown) =>
      JSON.parse(JSON.stringify(value).replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, ''));
    for (const job of ended)
      expect(withoutOrigin(delivered.get(job.id))).toEqual(
        withoutOrigin({ type: `execution.${job.status}`, data: job }),
      );
    expect(ended.filter(({ status }) => status === 'failed')).toHaveLength(1);
  });
}
