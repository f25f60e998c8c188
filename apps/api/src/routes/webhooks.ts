import {
  ChorusError,
  listOf,
  mayChange,
  webhookDeliveriesQuery,
  webhookDelivery,
  webhookSecret,
} from '@chorus/contract';
import { WEBHOOKS_CHANNEL } from '@chorus/events';
import { getSecret, keptUntil, presentDelivery, rotateSecret } from '@chorus/webhooks';
import { defineRoute } from '../define-route.ts';
import { unknownRecord } from '../http/unknown-record.ts';

const params = { delivery_id: 'webhookDelivery' } as const;

export const listDeliveries = defineRoute({
  method: 'get',
  path: '/webhook-deliveries',
  area: 'webhooks',
  summary: 'List webhook deliveries',
  description: 'Newest first, with recent attempts. Kept for 30 days by default.',
  needs: 'read',
  query: webhookDeliveriesQuery,
  answer: listOf(webhookDelivery),
  handle: async ({ query, owner, role, services }) => {
    const page = await services.database.webhookDeliveries.list(owner, query);
    return { object: 'list', ...page, data: page.data.map((record) => presentDelivery(record, owner, role)) };
  },
});

export const getDelivery = defineRoute({
  method: 'get',
  path: '/webhook-deliveries/:delivery_id',
  area: 'webhooks',
  summary: 'Get a webhook delivery',
  needs: 'read',
  params,
  answer: webhookDelivery,
  handle: async ({ params, owner, role, services }) => {
    const record = await services.database.webhookDeliveries.get(owner, params.delivery_id);
    if (record === null) throw unknownRecord('webhookDelivery');
    return presentDelivery(record, owner, role);
  },
});

export const redeliver = defineRoute({
  method: 'post',
  path: '/webhook-deliveries/:delivery_id/redeliver',
  area: 'webhooks',
  summary: 'Redeliver a webhook',
  description:
    'At once, then with retries for a day, with the same `webhook-id`, even if it was delivered before. Editors can redeliver their own webhooks, admins all.',
  needs: 'run',
  params,
  answer: webhookDelivery,
  handle: async ({ params, owner, role, services }) => {
    const { webhookDeliveries } = services.database;
    const found = await webhookDeliveries.get(owner, params.delivery_id);
    if (found === null) throw unknownRecord('webhookDelivery');
    if (!mayChange(role, owner, found.owner)) {
      throw new ChorusError('role_forbidden', 'Another member requested this webhook; an admin can redeliver it.');
    }
    const now = new Date();
    const until = keptUntil(now, services.config.retention.webhooksMs);
    const record = await webhookDeliveries.restart(owner, params.delivery_id, now, until);
    if (record === null) throw unknownRecord('webhookDelivery');
    services.eventLog.wake(WEBHOOKS_CHANNEL);
    return presentDelivery(record, owner, role);
  },
});

export const getWebhookSecret = defineRoute({
  method: 'get',
  path: '/webhook-secret',
  area: 'webhooks',
  summary: "Get the scope's webhook signing secret",
  description:
    'Verify webhooks with it, using any [Standard Webhooks](https://www.standardwebhooks.com) library. The headers are `webhook-id`, `webhook-timestamp` and `webhook-signature`.',
  needs: 'manage',
  secret: true,
  answer: webhookSecret,
  handle: ({ owner, services }) => getSecret(services.database, owner),
});

export const rotateWebhookSecret = defineRoute({
  method: 'post',
  path: '/webhook-secret/rotate',
  area: 'webhooks',
  summary: 'Rotate the webhook signing secret',
  description: 'For 24 hours webhooks are signed with both secrets, so that you can update receivers.',
  needs: 'manage',
  secret: true,
  answer: webhookSecret,
  handle: ({ actor, owner, services }) => rotateSecret(services.database, services.accounts.audit, actor, owner),
});
