import { listedUser, listOf, listQuery } from '@chorus/contract';
import { defineRoute } from '../define-route.ts';

export const listUsers = defineRoute({
  method: 'get',
  path: '/users',
  area: 'operations',
  summary: 'List all users of the platform',
  description:
    'In the order in which they were made. `npx chorus user` adds, disables and enables them. An API key needs the permission `operator`.',
  needs: 'operate',
  query: listQuery,
  answer: listOf(listedUser),
  handle: async ({ query, services }) => ({ object: 'list', ...(await services.accounts.users.list(query)) }),
});
