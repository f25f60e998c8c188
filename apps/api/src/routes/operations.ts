import { z } from 'zod';
import { checkFirstUser, checkObjects, checkStores } from '../check-stores.ts';
import { defineRoute } from '../define-route.ts';
import { admitMetrics } from '../http/admit-metrics.ts';
import { sendJson } from '../http/answer.ts';

export const healthz = defineRoute({
  method: 'get',
  path: '/healthz',
  at: 'root',
  area: 'operations',
  summary: 'Is this process up?',
  needs: 'none',
  answer: z.object({ status: z.literal('ok') }),
  handle: async () => ({ status: 'ok' }),
});

const state = z.enum(['ok', 'failing']);

export const readyz = defineRoute({
  method: 'get',
  path: '/readyz',
  at: 'root',
  area: 'operations',
  summary: 'Can this process serve: do its stores answer, and can someone log in?',
  description:
    '503 with the same body when a store does not answer, while the first user does not exist yet, or when the process is stopping.',
  needs: 'none',
  answer: z.object({
    status: z.enum(['ok', 'failing', 'stopping']),
    store: state,
    redis: state,
    objects: state,
    first_user: state.describe('`failing`: it does not exist yet'),
  }),
  alsoAnswers: { 503: 'A store does not answer, the first user does not exist yet, or the process is stopping' },
  handle: async ({ services, response }) => {
    const [{ store, redis }, objects, first_user] = await Promise.all([
      checkStores(services),
      checkObjects(services),
      checkFirstUser(services),
    ]);
    const stores = { store: store.status, redis: redis.status, objects: objects.status, first_user };
    const ready = Object.values(stores).every((one) => one === 'ok');
    const status = services.streams.stopping ? 'stopping' : ready ? 'ok' : 'failing';
    if (status === 'ok') return { status, ...stores };
    response.setHeader('Retry-After', 1);
    sendJson(response, 503, { status, ...stores });
    return undefined;
  },
});

export const metrics = defineRoute({
  method: 'get',
  path: '/metrics',
  at: 'root',
  area: 'operations',
  summary: "This process's metrics, for Prometheus",
  description: 'Open to this machine; others send `METRICS_TOKEN` as `Authorization: Bearer <token>`.',
  needs: 'none',
  refuses: ['unauthorized'],
  answer: z.string(),
  answerType: 'text/plain',
  handle: async ({ services, request, response }) => {
    admitMetrics(request, services.config.http.metricsToken);
    const text = await services.metrics.render();
    response.setHeader('Content-Type', services.metrics.contentType);
    response.end(text);
    return undefined;
  },
});
