import { createHash } from 'node:crypto';
import { admitMetrics } from '@chorus/accounts';
import { boundedRecord, ChorusError, toErrorBody } from '@chorus/contract';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { hasVersion } from '../assets/byte-range.ts';
import { defineRoute, type Route } from '../define-route.ts';
import { createOpenApi } from '../docs/openapi.ts';
import { chatHealth, checkChatHealth, checkChatWorkers, checkFirstUser, checkObjects, checkStores } from '../health.ts';
import { sendJson, sendJsonText } from '../http/answer.ts';
import { limitPages } from '../http/limit-rate.ts';
import { renderPlatformMetrics } from '../platform-metrics.ts';
import type { Services } from '../services.ts';

export const healthz = defineRoute({
  method: 'get',
  path: '/healthz',
  at: 'root',
  area: 'operations',
  summary: 'Check whether this process is up',
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
  summary: 'Check whether this process is ready',
  description:
    '200 means that a turn would be accepted now. 503, with the same body, when a store does not respond or refuses writes (Redis is full or read-only, the disk of the database is full), while no worker can run a chat, while the first user does not exist, or when the process is stopping.',
  needs: 'none',
  answer: z.object({
    status: z.enum(['ok', 'failing', 'stopping']),
    store: state.describe('State of the database'),
    redis: state,
    objects: state,
    chat: state.describe('`failing`: no worker that can run a chat is alive'),
    first_user: state.describe('`failing`: it does not exist yet'),
  }),
  alsoAnswers: {
    503: 'A store does not respond or refuses writes, no worker can run a chat, the first user does not exist, or the process is stopping',
  },
  handle: async ({ services, response }) => {
    const [{ store, redis }, objects, chat, first_user] = await Promise.all([
      checkStores(services),
      checkObjects(services),
      checkChatWorkers(services),
      checkFirstUser(services),
    ]);
    const stores = { store: store.status, redis: redis.status, objects: objects.status, chat, first_user };
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
  summary: "Get this process's metrics for Prometheus",
  description:
    'Scrape it at every API process. Open to this machine. Others send `METRICS_TOKEN` as `Authorization: Bearer <token>`.',
  needs: 'none',
  refuses: ['unauthorized'],
  answer: z.string(),
  answerType: 'text/plain',
  handle: ({ services, request, response }) =>
    sendMetrics(services, request, response, () => services.metrics.render()),
});

export const platformMetrics = defineRoute({
  method: 'get',
  path: '/metrics/platform',
  at: 'root',
  area: 'operations',
  summary: 'Get the metrics of workers and queues for Prometheus',
  description:
    'Every API process returns the same, so scrape it at one address. Those of workers have the labels `pool` and `process`. Open like `/metrics`.',
  needs: 'none',
  refuses: ['unauthorized'],
  answer: z.string(),
  answerType: 'text/plain',
  handle: ({ services, request, response }) =>
    sendMetrics(services, request, response, () => renderPlatformMetrics(services)),
});

async function sendMetrics(
  services: Services,
  request: Request,
  response: Response,
  render: () => Promise<string>,
): Promise<undefined> {
  admitMetrics(request, services.config.http.metricsToken);
  const text = await render();
  response.setHeader('Content-Type', services.metrics.contentType);
  response.end(text);
}

export const getChatHealth = defineRoute({
  method: 'get',
  path: '/chat/health',
  area: 'chat',
  summary: 'Check whether chats can run',
  description:
    'The status of the store, Redis, pools and models, what reads images, with its languages, and components that are missing on machines of workers. 503, with the same body and `error`, only when no chat can run.',
  needs: 'read',
  answer: chatHealth,
  handle: async ({ context, services, response, requestId }) => {
    const health = await checkChatHealth(services);
    if (health.status !== 'unavailable') return health;
    const storesAnswer = health.store.status === 'ok' && health.redis.status === 'ok';
    const error = storesAnswer
      ? new ChorusError('overloaded', 'No worker that can run a chat is alive.')
      : new ChorusError('store_unavailable', 'The document store or Redis does not respond.');
    context.errorCode = error.code;
    response.setHeader('Retry-After', 1);
    sendJson(response, 503, { ...health, error: toErrorBody(error, requestId) });
    return undefined;
  },
});

/** Declares the route that documents all routes, including itself. */
export function openApiRoute(routes: () => readonly Route[]): Route {
  // One for each server in the process, since their URLs may differ.
  const texts = new WeakMap<Services, { text: string; tag: string }>();
  return defineRoute({
    method: 'get',
    path: '/openapi.json',
    at: 'root',
    area: 'operations',
    summary: 'Get this document',
    needs: 'none',
    refuses: ['rate_limited'],
    answer: boundedRecord(z.string(), z.unknown(), 20),
    alsoAnswers: { 304: 'Not modified' },
    handle: async ({ context, services, request, response }) => {
      await limitPages(context);
      const known = texts.get(services) ?? taggedText(createOpenApi(routes(), services.config.http.publicUrl));
      texts.set(services, known);
      const { text, tag } = known;
      response.setHeader('Cache-Control', 'no-cache');
      response.setHeader('ETag', tag);
      if (!hasVersion(request.headers['if-none-match'], tag)) {
        sendJsonText(response, 200, text);
        return undefined;
      }
      response.statusCode = 304;
      response.end();
      return undefined;
    },
  });
}

function taggedText(document: object): { text: string; tag: string } {
  const text = JSON.stringify(document);
  return { text, tag: `"${createHash('sha256').update(text).digest('base64url')}"` };
}
