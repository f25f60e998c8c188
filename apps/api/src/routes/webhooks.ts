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
  description: 'Newest first, each with its last attempts. Kept for 30 days unless configured otherwise.',
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
  summary: 'Deliver a webhook again',
  description:
    'At once, and then for another day, under the same `webhook-id`; whatever has become of it. Editors do so with what they run, admins with all.',
  needs: 'run',
  params,
  answer: webhookDelivery,
  handle: async ({ params, owner, role, services }) => {
    const { webhookDeliveries } = services.database;
    const found = await webhookDeliveries.get(owner, params.delivery_id);
    if (found === null) throw unknownRecord('webhookDelivery');
    if (!mayChange(role, owner, found.owner)) {
      throw new ChorusError('role_forbidden', 'Another member asked for this; an admin can deliver it again.');
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
  summary: 'Get the secret that the webhooks of this scope are signed with',
  description:
    'Receivers check each webhook with it, by any library for [Standard Webhooks](https://www.standardwebhooks.com): the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.',
  needs: 'manage',
  secret: true,
  answer: webhookSecret,
  handle: ({ owner, services }) => getSecret(services.database, owner),
});

export const rotateWebhookSecret = defineRoute({
  method: 'post',
  path: '/webhook-secret/rotate',
  area: 'webhooks',
  summary: 'Put a fresh secret in the place of the one that webhooks are signed with',
  description: 'For 24 hours both sign: give the receivers the new one meanwhile.',
  needs: 'manage',
  secret: true,
  answer: webhookSecret,
  handle: ({ actor, owner, services }) => rotateSecret(services.database, services.accounts.audit, actor, owner),
});
