import { ROLES, user } from '@chorus/contract';
import { z } from 'zod';
import { defineRoute } from '../define-route.ts';

const me = user.extend({
  scope: z.object({
    type: z.enum(['personal', 'workspace']),
    workspace_id: z.string().nullable(),
    role: z.enum(ROLES).describe('What you are in this scope'),
  }),
});

export const getMe = defineRoute({
  method: 'get',
  path: '/me',
  area: 'auth',
  summary: 'Who am I, and in which scope',
  needs: 'read',
  answer: me,
  handle: async ({ user, owner, role }) => ({
    ...user,
    scope: { type: owner.scope, workspace_id: owner.workspace_id, role },
  }),
});
