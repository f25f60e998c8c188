import { budget, budgetPatch } from '@chorus/contract';
import { changeBudget, getBudget } from '../budgets/manage-budget.ts';
import { defineRoute } from '../define-route.ts';

const EFFECT =
  'New work beyond a limit gets 429 `budget_exceeded` until the day or month (UTC) ends; batches wait. Work that has begun is completed. Takes effect within a second.';

export const getWorkspaceBudget = defineRoute({
  method: 'get',
  path: '/workspaces/:workspace_id/budget',
  area: 'workspaces',
  summary: "Get a workspace's budget",
  description: 'The limits of what all members spend in it, and what they have spent.',
  needs: 'manage',
  params: { workspace_id: 'workspace' },
  answer: budget,
  handle: ({ params, user, services }) => getBudget(services, { workspace_id: params.workspace_id, user_id: user.id }),
});

export const changeWorkspaceBudget = defineRoute({
  method: 'patch',
  path: '/workspaces/:workspace_id/budget',
  area: 'workspaces',
  summary: "Change a workspace's budget",
  description: EFFECT,
  needs: 'manage',
  params: { workspace_id: 'workspace' },
  body: budgetPatch,
  answer: budget,
  handle: ({ params, body, actor, user, services }) =>
    changeBudget(services, actor, { workspace_id: params.workspace_id, user_id: user.id }, body),
});

export const getApiKeyBudget = defineRoute({
  method: 'get',
  path: '/api-keys/:key_id/budget',
  area: 'keys',
  summary: "Get an API key's budget",
  description: 'The limits of what the key spends in all its scopes, and what it has spent.',
  needs: 'account',
  params: { key_id: 'apiKey' },
  answer: budget,
  handle: ({ params, user, services }) => getBudget(services, { api_key_id: params.key_id, user_id: user.id }),
});

export const changeApiKeyBudget = defineRoute({
  method: 'patch',
  path: '/api-keys/:key_id/budget',
  area: 'keys',
  summary: "Change an API key's budget",
  description: EFFECT,
  needs: 'account',
  params: { key_id: 'apiKey' },
  body: budgetPatch,
  answer: budget,
  handle: ({ params, body, actor, user, services }) =>
    changeBudget(services, actor, { api_key_id: params.key_id, user_id: user.id }, body),
});
