import { apiKey, apiKeyCreate, apiKeyDisable, createdApiKey, listOf, listQuery } from '@chorus/contract';
import { changeBudget } from '../budgets/manage-budget.ts';
import { defineRoute } from '../define-route.ts';

const params = { key_id: 'apiKey' } as const;

export const createApiKey = defineRoute({
  method: 'post',
  path: '/api-keys',
  area: 'keys',
  summary: 'Create an API key',
  description:
    'Only this response contains the key (`secret`); the platform stores a hash. A key acts as its user, in any of their scopes unless `workspace_id` limits it, ' +
    'and never has more rights than its user. Send it as `X-API-Key` or as a bearer token.',
  needs: 'account',
  body: apiKeyCreate,
  answer: createdApiKey,
  handle: async ({ body: { monthly_budget_usd, ...wanted }, actor, user, services }) => {
    const key = await services.accounts.apiKeys.create(actor, user, wanted);
    const target = { api_key_id: key.id, user_id: user.id };
    if (monthly_budget_usd != null) await changeBudget(services, actor, target, { monthly_usd: monthly_budget_usd });
    return key;
  },
});

export const listApiKeys = defineRoute({
  method: 'get',
  path: '/api-keys',
  area: 'keys',
  summary: 'List your API keys',
  description:
    'Newest first, the same in every scope. A key that is bound to a workspace only lists keys bound to the same one.',
  needs: 'read',
  query: listQuery,
  answer: listOf(apiKey),
  handle: async ({ query, user, credential, services }) => ({
    object: 'list',
    ...(await services.accounts.apiKeys.list(user.id, query, credential.key?.workspace_id)),
  }),
});

export const revokeApiKey = defineRoute({
  method: 'post',
  path: '/api-keys/:key_id/revoke',
  area: 'keys',
  summary: 'Revoke an API key permanently',
  description: 'All API processes reject the key within a second.',
  needs: 'account',
  params,
  answer: apiKey,
  handle: ({ params, actor, user, services }) => services.accounts.apiKeys.revoke(actor, user.id, params.key_id),
});

export const disableApiKey = defineRoute({
  method: 'post',
  path: '/api-keys/:key_id/disable',
  area: 'keys',
  summary: 'Disable or enable an API key',
  description: 'Takes effect within a second, like revoking. A revoked key stays revoked: 409 `key_revoked`.',
  needs: 'account',
  params,
  body: apiKeyDisable,
  answer: apiKey,
  handle: ({ params, body, actor, user, services }) =>
    services.accounts.apiKeys.setDisabled(actor, user.id, params.key_id, body.disabled),
});
