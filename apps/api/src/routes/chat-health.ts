import { ChorusError, toErrorBody } from '@chorus/contract';
import { chatHealth, checkChatHealth } from '../chat-health.ts';
import { defineRoute } from '../define-route.ts';
import { sendJson } from '../http/answer.ts';

export const getChatHealth = defineRoute({
  method: 'get',
  path: '/chat/health',
  area: 'chat',
  summary: 'Can chats run now?',
  description:
    'Store, Redis, pools and models with a status each. 503, with the same body and `error`, only when no chat can run.',
  needs: 'read',
  answer: chatHealth,
  handle: async ({ context, services, response, requestId }) => {
    const health = await checkChatHealth(services);
    if (health.status !== 'unavailable') return health;
    const storesAnswer = health.store.status === 'ok' && health.redis.status === 'ok';
    const error = storesAnswer
      ? new ChorusError('overloaded', 'No worker that can run a chat is alive.')
      : new ChorusError('store_unavailable', 'The document store or Redis does not answer.');
    context.errorCode = error.code;
    response.setHeader('Retry-After', 1);
    sendJson(response, 503, { ...health, error: toErrorBody(error, requestId) });
    return undefined;
  },
});
