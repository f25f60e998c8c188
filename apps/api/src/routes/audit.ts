import { auditEntry, auditQuery, listOf, scopeKey } from '@chorus/contract';
import { defineRoute } from '../define-route.ts';

export const listAudit = defineRoute({
  method: 'get',
  path: '/audit',
  area: 'workspaces',
  summary: 'Read the audit log of the scope',
  description:
    'Who did what to which record, newest first: in a workspace its members, invitations, keys and deletions; in personal scope your logins (those that failed too), ' +
    'passwords, keys and deletions.',
  needs: 'manage',
  query: auditQuery,
  answer: listOf(auditEntry),
  handle: async ({ query, owner, services }) => ({
    object: 'list',
    ...(await services.accounts.audit.list(scopeKey(owner), query)),
  }),
});
